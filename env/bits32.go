//go:build 386 || arm || mips || mipsle

package env

// Games, positions and bytes are counted in 64-bit ints, so 32-bit builds fail here.
var _ = tiroNeedsA64BitSystem
