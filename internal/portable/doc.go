// Package portable computes elementary functions and random numbers whose results have the
// same bits in every build of the program.
//
// The functions of package math do not, nor do the normal and exponential variates of
// math/rand/v2, which depend on them: some architectures implement them in assembly, and on
// others the compiler fuses multiplications with additions. All computations that affect a
// result (a game, a weight, a metric, a rating) therefore use this package and the exact
// functions of package math, such as Sqrt, Floor and Ldexp.
//
// In any package the compiler may fuse x*y + z, which then rounds once instead of twice; it
// does so on arm64 and with GOAMD64=v3. An explicit conversion prevents fusion, as in
// float64(x*y) + z. The module's tests search the machine code for fused operations.
package portable
