package main

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"tiro/configs"
	"tiro/rundir"
)

// processUsage returns what this process takes of the machine.
func processUsage() rundir.Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return rundir.Usage{
		Resident:    resident(),
		Heap:        int64(m.HeapAlloc),
		Goroutines:  runtime.NumGoroutine(),
		Descriptors: descriptors(),
	}
}

// resident returns how many bytes of memory this process has. It is 0 where the
// system does not say so as Linux does (proc_pid_status(5)).
func resident() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("\nVmRSS:"))
	fields := bytes.Fields(rest)
	if len(fields) < 2 || string(fields[1]) != "kB" {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}

// descriptors returns how many files and the like this process has open. It is 0
// where the system does not say so as Linux does.
func descriptors() int {
	open, _ := os.ReadDir("/proc/self/fd")
	return max(0, len(open)-1) // less the one that reads the folder
}

// processor returns the name of the processor, or its architecture where the
// system does not name it as Linux does on most machines.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := bytes.Cut(data, []byte("\nmodel name"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	_, name, _ := bytes.Cut(line, []byte(":"))
	return cmp.Or(string(bytes.TrimSpace(name)), runtime.GOARCH)
}

// limitMemory lets the garbage collector work as hard as it takes to stay within b.
func limitMemory(b configs.Bytes) {
	if b > 0 {
		debug.SetMemoryLimit(int64(b))
	}
}
