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
	limited := func(args ...string) string {
		cmd := exec.Command("sh", append([]string{"-c", `echo $$ >"$0/cgroup.procs" && exec tiro "$@"`, group}, args...)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Regexp(t, `--workers int .*\(default 1\)`, limited("worker", "--help"))
	require.Regexp(t, `available cores=1 memory=\S+iB disk=\S+iB\n`, limited("train", "mnk", "--run", filepath.Join(t.TempDir(), "run"), "--plain", "--generations", "1",
		"--set", "games_per_generation=2", "--set", "selfplay.search.simulations=2", "--set", "net.channels=8", "--set", "net.blocks=1"))
}
