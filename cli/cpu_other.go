//go:build !unix && !windows

package cli

import "time"

// processCPU returns 0: this system does not say how much CPU time a process has
// taken.
func processCPU() time.Duration { return 0 }
