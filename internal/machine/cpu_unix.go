//go:build unix

package machine

import (
	"syscall"
	"time"
)

// CPU returns the CPU time that this process has taken, in user and in system mode, with
// all its threads; 0 if the system does not report it.
func CPU() time.Duration { return usage(syscall.RUSAGE_SELF) }

// usage returns the CPU time of who, as getrusage(2) counts it.
func usage(who int) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
