package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestKilledMatchResumes: a match with records that is killed at random instants, again
// and again, comes to the report of one that was not.
func TestKilledMatchResumes(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	args := func(name string) []string {
		return []string{
			"match", "connect4", "--a", "mcts:400", "--b", "mcts:200", "--sprt", "0,150", "--opening", "6", "--seed", "3",
			"--records", filepath.Join(dir, name+".jsonl"), "--json", filepath.Join(dir, name+".json"),
		}
	}
	began := time.Now()
	out, err := exec.Command("tiro", args("undisturbed")...).Output()
	require.NoError(t, err)
	took := time.Since(began)
	want, err := os.ReadFile(filepath.Join(dir, "undisturbed.json"))
	require.NoError(t, err)

	rng := env.NewRand(1)
	kills, resumed := 0, 0 // kills, and those after which there were games
	for kills < 50 {
		if killed(t, args("killed"), time.Duration(rng.Int64N(int64(took)))) {
			kills++
			if data, err := os.ReadFile(filepath.Join(dir, "killed.jsonl")); err == nil && bytes.Count(data, []byte("\n")) > 1 {
				resumed++
			}
			continue
		}
		require.Equal(t, want, readWhole(t, filepath.Join(dir, "killed.json")), "after %d kills", kills)
		require.NoError(t, os.Remove(filepath.Join(dir, "killed.jsonl")))
	}
	require.Greater(t, resumed, 10, "of %d kills", kills)
	last, err := exec.Command("tiro", args("killed")...).Output()
	require.NoError(t, err)
	require.Equal(t, want, readWhole(t, filepath.Join(dir, "killed.json")))
	require.Equal(t, string(out), string(last))
}

// killed runs tiro and kills it after a time, and reports whether it had not ended before.
func killed(t *testing.T, args []string, after time.Duration) bool {
	cmd := exec.Command("tiro", args...)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	return err != nil
}

func readWhole(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}
