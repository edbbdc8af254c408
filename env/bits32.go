//go:build 386 || arm || mips || mipsle

package env

// Tiro counts games, positions and bytes in ints of 64 bits. A build for 32 bits stops here.
var _ = tiroNeedsA64BitSystem
