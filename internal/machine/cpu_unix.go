//go:build unix

package machine

import (
	"syscall"
	"time"
)

// CPU returns the CPU time used by all threads of this process, in user and system mode, or
// 0 if the system does not report it.
func CPU() time.Duration { return usage(syscall.RUSAGE_SELF) }

// usage returns the CPU time of who as reported by getrusage(2).
func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
