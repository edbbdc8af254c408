//go:build !linux

package machine

import "time"

// ThreadCPU returns nil, since this system does not report the CPU time of a thread.
func ThreadCPU() func() time.Duration { return nil }
