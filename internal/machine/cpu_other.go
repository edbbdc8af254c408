//go:build !unix && !windows

package machine

import "time"

// CPU returns 0, since this system does not report the CPU time of a process.
func CPU() time.Duration { return 0 }
