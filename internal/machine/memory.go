package machine

import (
	"bytes"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
)

// unknownMemory is the result of Memory on systems that do not report their memory.
const unknownMemory = 2 << 30

// Memory returns the default memory limit of this process: GOMEMLIMIT if set, otherwise
// three quarters of the machine's memory or of the limit of the process's Linux control
// groups, such as a container's, whichever is less.
func Memory() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	least := int64(math.MaxInt64)
	note := func(text []byte, unit int64) {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 && n < least/unit {
			least = n * unit
		}
	}
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		_, rest, _ := bytes.Cut(data, []byte("MemTotal:"))
		kilobytes, _, _ := bytes.Cut(rest, []byte("kB"))
		note(kilobytes, 1<<10)
	}
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for line := range bytes.Lines(groups) {
		parts := bytes.SplitN(bytes.TrimSpace(line), []byte(":"), 3) // number:controllers:folder
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if string(parts[1]) == "memory" {
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if len(parts[1]) > 0 {
			continue
		}
		for dir := path.Clean("/" + string(parts[2])); ; dir = path.Dir(dir) {
			if data, err := os.ReadFile(path.Join(root, dir, file)); err == nil {
				note(data, 1)
			}
			if dir == "/" {
				break
			}
		}
	}
	if least == math.MaxInt64 {
		return unknownMemory
	}
	return least / 4 * 3 >> 20 << 20
}
