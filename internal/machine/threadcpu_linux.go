package machine

import "time"

// ThreadCPU returns a function that returns the CPU time of the calling thread, or nil if
// the system does not report it.
func ThreadCPU() func() time.Duration {
	const thread = 1 // RUSAGE_THREAD, getrusage(2)
	return func() time.Duration { return usage(thread) }
}
