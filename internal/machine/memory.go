package machine

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
)

// unknownMemory is the result of Memory on systems that do not report their memory.
const unknownMemory = 2 << 30

// Memory returns the default memory limit of this process: GOMEMLIMIT if set, otherwise
// three quarters of MemoryLimit.
func Memory() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	least := MemoryLimit(os.DirFS("/"))
	if least == 0 {
		return unknownMemory
	}
	return least / 4 * 3 >> 20 << 20
}

// MemoryLimit returns the memory of the machine, or the limit of this process's Linux control
// groups, such as a container's, if that is less. It returns 0 if the system does not report
// its memory. The argument root is the root of the file system, such as os.DirFS("/").
func MemoryLimit(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	note := func(text []byte, unit int64) {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 && n < least/unit {
			least = n * unit
		}
	}
	if data, err := fs.ReadFile(root, "proc/meminfo"); err == nil {
		_, rest, _ := bytes.Cut(data, []byte("MemTotal:"))
		kilobytes, _, _ := bytes.Cut(rest, []byte("kB"))
		note(kilobytes, 1<<10)
	}
	controlGroups(root, "memory", func(dir string, version int) {
		data, _ := fs.ReadFile(root, path.Join(dir, [...]string{1: "memory.limit_in_bytes", 2: "memory.max"}[version]))
		note(data, 1)
	})
	if least == math.MaxInt64 {
		return 0
	}
	return least
}
