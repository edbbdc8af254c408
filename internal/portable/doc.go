// Package portable computes elementary functions and random numbers that have the same
// bits in every build of the program.
//
// Those of package math, and with them the normal and exponential numbers of
// math/rand/v2, do not: they are written in assembly on some architectures, and the
// compiler fuses their multiplications with additions on others. All that a result
// depends on (a game, a weight, a metric, a rating) is therefore computed by this package
// and by the exact functions of package math, such as Sqrt, Floor and Ldexp.
//
// The compiler may fuse x*y + z, which rounds once instead of twice, in any package, and
// does so on arm64 and with GOAMD64=v3. An explicit conversion, as in float64(x*y) + z,
// forbids it; the tests of the module look for fused operations in the machine code.
package portable
