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
	controlGroups(root, "cpu", func(dir string, version int) {
		if version == 2 {
			text, _ := fs.ReadFile(root, path.Join(dir, "cpu.max"))
			quota, period, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
			note(quota, period)
			return
		}
		quota, _ := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
		period, _ := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us"))
		note(bytes.TrimSpace(quota), bytes.TrimSpace(period))
	})
	if math.IsInf(least, 1) {
		return 0
	}
	return int(math.Ceil(least))
}
