package machine

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestCores: the smallest quota of all groups around the process applies.
func TestCores(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  int
	}{
		"no groups":               {nil, 0},
		"no limit":                {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, 0},
		"one":                     {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 2},
		"less than a core":        {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "20000 100000\n"}, 1},
		"outer groups":            {map[string]string{"proc/self/cgroup": "0::/a/b/c\n", "sys/fs/cgroup/a/cpu.max": "300000 100000\n", "sys/fs/cgroup/a/b/c/cpu.max": "800000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, 3},
		"hybrid":                  {map[string]string{"proc/self/cgroup": "1:name=systemd:/\n0::/a\n", "sys/fs/cgroup/unified/a/cpu.max": "100000 100000\n"}, 1},
		"version 1":               {map[string]string{"proc/self/cgroup": "4:memory:/a\n3:cpu,cpuacct:/a/b\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "250000\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n", "sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us": "100000\n"}, 3},
		"seen from the container": {map[string]string{"proc/self/cgroup": "3:cpu:/docker/1234\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 1},
		"nonsense":                {map[string]string{"proc/self/cgroup": "x\n0::/../..\n", "sys/fs/cgroup/cpu.max": "many few\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, Cores(rootOf(test.files))) })
	}
}

// rootOf returns a file system with the given files.
func rootOf(files map[string]string) fs.FS {
	root := fstest.MapFS{}
	for path, text := range files {
		root[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// TestMemoryLimit: the smallest limit of the machine and of all groups around the process applies.
func TestMemoryLimit(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":       {nil, 0},
		"machine":       {map[string]string{"proc/meminfo": "MemTotal:    2048 kB\nMemFree: 1 kB\n", "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 2 << 20},
		"outer group":   {map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 1 << 20},
		"a container's": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "65536\n"}, 65536},
		"hybrid":        {map[string]string{"proc/self/cgroup": "4:memory:/docker/12\n0::/a\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n"}, 4096},
		"version 1":     {map[string]string{"proc/self/cgroup": "4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "8192\n"}, 8192},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, MemoryLimit(rootOf(test.files))) })
	}
}

// TestFree: the disk of a folder that does not exist yet is its parent's.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	free := Free(filepath.Join(dir, "a", "b"))
	require.Positive(t, free)
	require.InEpsilon(t, Free(dir), free, 0.5)
}
