package machine

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
)

// Cores returns the CPU limit of this process's Linux control groups in cores, rounded up,
// or 0 if there is no limit. It includes the limits of containers as far as they are
// visible. The argument root is the root of the file system, such as os.DirFS("/").
func Cores(root fs.FS) int {
	least := math.Inf(1)
	note := func(quota, period []byte) {
		q, err := strconv.ParseFloat(string(quota), 64)
		p, fault := strconv.ParseFloat(string(period), 64)
		if err == nil && fault == nil && q > 0 && p > 0 {
			least = min(least, q/p)
		}
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range bytes.Lines(groups) {
		parts := bytes.SplitN(bytes.TrimSpace(line), []byte(":"), 3) // number:controllers:folder
		if len(parts) < 3 {
			continue
		}
		first := len(parts[1]) == 0 // version 2
		if !first && !hasController(parts[1], "cpu") {
			continue
		}
		for dir := path.Clean("/" + string(parts[2])); ; dir = path.Dir(dir) {
			for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified", "sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"} {
				if first {
					text, _ := fs.ReadFile(root, path.Join(mount, dir, "cpu.max"))
					if quota, period, ok := bytes.Cut(bytes.TrimSpace(text), []byte(" ")); ok {
						note(quota, period)
					}
					continue
				}
				quota, _ := fs.ReadFile(root, path.Join(mount, dir, "cpu.cfs_quota_us"))
				period, _ := fs.ReadFile(root, path.Join(mount, dir, "cpu.cfs_period_us"))
				note(bytes.TrimSpace(quota), bytes.TrimSpace(period))
			}
			if dir == "/" {
				break
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return int(math.Ceil(least))
}

// hasController reports whether a list such as "cpu,cpuacct" contains name.
func hasController(list []byte, name string) bool {
	for c := range bytes.SplitSeq(list, []byte(",")) {
		if string(c) == name {
			return true
		}
	}
	return false
}
