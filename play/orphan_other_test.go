//go:build !linux

package play

// keeper is needed only by a test on Linux.
func keeper() {}
