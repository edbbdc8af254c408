// Package machine measures this process and names the processor that it runs on.
package machine

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"strconv"
)

// Usage is what this process takes of the machine. What the system does not report as
// Linux does is 0.
type Usage struct {
	Resident    int64 // bytes of memory
	Peak        int64 // the most that Resident has been
	Heap        int64 // bytes of live and dead objects
	Goroutines  int
	Descriptors int // open files and the like
}

// Used returns what this process takes of the machine now.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{Heap: int64(m.HeapAlloc), Goroutines: runtime.NumGoroutine()}
	if data, err := os.ReadFile("/proc/self/status"); err == nil { // proc_pid_status(5)
		u.Resident, u.Peak = statusBytes(data, "VmRSS"), statusBytes(data, "VmHWM")
	}
	open, _ := os.ReadDir("/proc/self/fd")
	u.Descriptors = max(0, len(open)-1) // without the one that reads the folder
	return u
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

// Processor returns the name of the processor, or its architecture where the system does
// not name it as Linux does on most machines.
func Processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := bytes.Cut(data, []byte("\nmodel name"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	_, name, _ := bytes.Cut(line, []byte(":"))
	return cmp.Or(string(bytes.TrimSpace(name)), runtime.GOARCH)
}
