package cli

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"tiro/configs"
	"tiro/rundir"
	"tiro/train"
)

// processUsage returns what this process takes of the machine.
func processUsage() rundir.Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	now, most := resident()
	return rundir.Usage{
		Resident:    now,
		Peak:        most,
		Heap:        int64(m.HeapAlloc),
		Goroutines:  runtime.NumGoroutine(),
		Descriptors: descriptors(),
	}
}

// resident returns how many bytes of memory this process has, and had at most.
// They are 0 where the system does not say so as Linux does (proc_pid_status(5)).
func resident() (now, most int64) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	return statusBytes(data, "VmRSS"), statusBytes(data, "VmHWM")
}

// statusBytes returns the amount of memory that a line of a status file names.
func statusBytes(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
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

// limitMemory lets the garbage collector work as hard as it takes for the process
// to stay within b, of which its code takes a part.
func limitMemory(b configs.Bytes) {
	if b > 0 {
		debug.SetMemoryLimit(int64(max(0, b-train.CodeMemory)))
	}
}
