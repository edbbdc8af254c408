//go:build unix

package cli

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time that this process has taken, in user and in
// system mode, with all its threads; 0 if the system does not say.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return cpuOf(u)
}

// cpuOf returns the time in user and in system mode.
func cpuOf(u syscall.Rusage) time.Duration { return time.Duration(u.Utime.Nano() + u.Stime.Nano()) }
