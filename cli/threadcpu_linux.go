package cli

import (
	"syscall"
	"time"

	"tiro/player"
)

// threadCPU returns the CPU time that the calling thread has taken, in user and in
// system mode; 0 if the system does not say.
func threadCPU() time.Duration {
	const thread = 1 // RUSAGE_THREAD, getrusage(2)
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		return 0
	}
	return cpuOf(u)
}

// machineClock returns the clock of players and matches.
func machineClock() player.Clock { return player.Clock{Now: time.Now, CPU: threadCPU} }
