//go:build linux

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/disk"
	"tiro/rundir"
)

// TestMemoryBound: the resident memory of a training exceeds its limit by at most a tenth, even
// with the smallest limit that the program accepts.
func TestMemoryBound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	tiro := buildTiro(t, "GOARCH="+runtime.GOARCH) // without the code of the tests
	for _, test := range []struct {
		name     string
		settings []string
	}{
		{"small network", []string{"net.channels=8", "net.blocks=1", "learner.batch_size=32", "selfplay.concurrent_games=8", "selfplay.cache_positions=0"}},
		{"large batches", []string{"net.channels=24", "learner.batch_size=256", "selfplay.cache_positions=0"}},
		{"many short games", []string{"games_per_generation=4000", "net.channels=8", "net.blocks=1", "selfplay.search.simulations=2", "selfplay.cache_positions=1000", "replay.window=1000000", "replay.sample_reuse=0.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			train := func(memory string) (text string, ok bool) {
				args := []string{"train", "mnk", "--run", dir, "--generations", "3", "--workers", "2", "--set", "memory=" + memory}
				for _, s := range test.settings {
					args = append(args, "--set", s)
				}
				out, err := exec.Command(tiro, args...).CombinedOutput()
				return string(out), err == nil
			}
			text, ok := train("20MiB")
			require.False(t, ok)
			found := regexp.MustCompile(`needs up to (\w+):`).FindStringSubmatch(text)
			require.NotNil(t, found, text)
			text, ok = train(found[1])
			require.True(t, ok, text)
			var bound configs.Bytes
			require.NoError(t, bound.UnmarshalText([]byte(found[1])))
			lines, err := rundir.At(disk.OS{}, dir).Metrics()
			require.NoError(t, err)
			most := configs.Bytes(lines[len(lines)-1].Machine.Peak)
			t.Logf("at most %s of %s", most.About(), bound.About())
			require.Positive(t, most)
			require.LessOrEqual(t, most, bound+bound/10)
		})
	}
}

// TestMemoryOfTheEnvironment: a new run takes no more memory than GOMEMLIMIT leaves and reports
// the reduction. A run that began with more memory only warns.
func TestMemoryOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	train := func(limit string, args ...string) string {
		cmd := tiro(append([]string{"train", "tictactoe", "--run", filepath.Join(dir, "run"), "--generations", "1", "--plain", "--workers", "1", "--set", "selfplay.search.simulations=2", "--set", "duels.share=0"}, args...)...)
		cmd.Env = append(os.Environ(), "GOMEMLIMIT="+limit)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "run"), 0o777)) // remains empty until the run begins
	require.Contains(t, train("700MiB"), "memory limit lowered")
	config, err := os.ReadFile(filepath.Join(dir, "run", "config.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(config), "memory: 700MiB")
	require.Contains(t, train("600MiB"), "the memory limit exceeds")
	require.NotContains(t, train("800MiB"), "memory limit")
}

// TestMemoryOfAnAblation: the memory limit of a training does not apply to the next one.
func TestMemoryOfAnAblation(t *testing.T) {
	out, err := tiro("ablate", "tictactoe", "--dir", filepath.Join(t.TempDir(), "ablation"), "--generations", "1", "--seeds", "1",
		"--variant", "wide net.channels=32", "--set", "memory=200MiB", "--set", "games_per_generation=8", "--games", "2", "--sims", "1").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "memory limit")
}
