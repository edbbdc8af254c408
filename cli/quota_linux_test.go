package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuota: the CPU quota of a control group limits the default of --workers and, with
// GOMAXPROCS, the learner's threads.
func TestQuota(t *testing.T) {
	group, files := "", map[string]string{}
	for parent, quota := range map[string]map[string]string{
		"/sys/fs/cgroup/cpu": {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"},
		"/sys/fs/cgroup":     {"cpu.max": "50000 100000"},
	} {
		dir, err := os.MkdirTemp(parent, "tiro-test-")
		if err != nil {
			continue
		}
		defer os.Remove(dir)
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err == nil {
			group, files = dir, quota
		}
	}
	for name, text := range files {
		if os.WriteFile(filepath.Join(group, name), []byte(text), 0o600) != nil {
			group = ""
		}
	}
	if group == "" {
		t.Skip("SKIPPED: quotas need Linux, root and writable control groups")
	}
	cmd := exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs" && exec tiro worker --help`, group)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `--workers int .*\(default 1\)`, string(out))
}
