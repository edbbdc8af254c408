// Package machine measures the resources used by this process and names the processor.
package machine

import (
	"bytes"
	"cmp"
	"os"
	"runtime"
	"strconv"
)

// Usage is the resources used by this process. Values not reported in Linux's way are 0.
type Usage struct {
	Resident    int64 // bytes of memory
	Peak        int64 // maximum of Resident so far
	Heap        int64 // bytes of objects, including dead ones
	Goroutines  int
	Descriptors int // open files, sockets and so on
}

// Used returns the current usage.
func Used() Usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{Heap: int64(m.HeapAlloc), Goroutines: runtime.NumGoroutine()}
	if data, err := os.ReadFile("/proc/self/status"); err == nil { // proc_pid_status(5)
		u.Resident, u.Peak = statusBytes(data, "VmRSS"), statusBytes(data, "VmHWM")
	}
	open, _ := os.ReadDir("/proc/self/fd")
	u.Descriptors = max(0, len(open)-1) // minus the descriptor of this folder
	return u
}

// statusBytes returns the amount of memory in the line of a status file with the given
// name.
func statusBytes(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
	fields := bytes.Fields(rest)
	if len(fields) < 2 || string(fields[1]) != "kB" {
		return 0
	}
	n, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return n << 10
}

// Processor returns the name of the processor, or its architecture if /proc/cpuinfo does
// not name it.
func Processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := bytes.Cut(data, []byte("\nmodel name"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	_, name, _ := bytes.Cut(line, []byte(":"))
	return cmp.Or(string(bytes.TrimSpace(name)), runtime.GOARCH)
}
