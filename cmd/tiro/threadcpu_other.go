//go:build !linux

package main

import "time"

// threadCPU returns 0: the CPU time of a thread is not known here.
func threadCPU() time.Duration { return 0 }
