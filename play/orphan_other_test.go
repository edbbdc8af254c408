//go:build !linux

package play

// keeper is for a test on Linux.
func keeper() {}
