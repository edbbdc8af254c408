//go:build unix

package cli

import (
	"bytes"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/rundir"
)

// TestCPUTime: the CPU time in the metrics of a run equals the system's measurement of its
// process, for any number of workers.
func TestCPUTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	for _, workers := range []string{"1", "4"} {
		dir := filepath.Join(t.TempDir(), "run")
		train := func() (said []byte, took float64) {
			cmd := tiro("train", "mnk", "--run", dir, "--generations", "3", "--workers", workers,
				"--set", "games_per_generation=300", "--set", "net.channels=16", "--set", "selfplay.cache_positions=0", "--set", "selfplay.search.simulations=32")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		}
		out, took := train()
		_, idle := train() // only starts and ends, since the run is complete
		lines, err := rundir.At(disk.OS{}, dir).Metrics()
		require.NoError(t, err)
		all, parts := 0.0, 0.0
		for _, m := range lines {
			require.Positive(t, m.Machine.SelfplayCPUSeconds)
			require.Positive(t, m.Machine.LearnCPUSeconds)
			all += m.Machine.CPUSeconds
			parts += m.Machine.SelfplayCPUSeconds + m.Machine.LearnCPUSeconds
		}
		t.Logf("%s workers: %.2f s by the system and %.2f s without a training, %.2f s in the metrics, %.2f s of these playing and learning", workers, took, idle, all, parts)
		require.InEpsilon(t, took-idle, all, 0.25, "the system's time includes starting and ending")
		require.LessOrEqual(t, parts, all)
		require.Equal(t, workers == "4" && runtime.GOMAXPROCS(0) < 4, bytes.Contains(out, []byte("more workers than cores")), "%s", out)
	}
}

// TestTrainLonger: a run that has used its CPU time ends with a command that doubles it, and that
// command trains.
func TestTrainLonger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args, newest := strings.Fields("train tictactoe --cpu-hours 0.0001 --hours 1 --workers 1 --set games_per_generation=20 --run "+dir), 0
	for _, next := range []string{"0.0002", "0.0004"} {
		out, err := tiro(args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		hint := regexp.MustCompile(`to train longer:\n  tiro (.*)\n`).FindSubmatch(out)
		require.NotNil(t, hint, "%s", out)
		args = strings.Fields(string(hint[1]))
		require.Equal(t, next, args[len(args)-1])
		lines, err := rundir.At(disk.OS{}, dir).Metrics()
		require.NoError(t, err)
		require.Greater(t, len(lines), newest)
		newest = len(lines)
	}
}
