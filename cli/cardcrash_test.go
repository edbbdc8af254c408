package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
	"tiro/models"
	"tiro/models/card"
)

// TestTortureCard: whatever fault strikes at whichever operation on the disk (in make test
// at every sixth), it leaves no wrong card, and the same command then ends as if nothing had
// happened, in a new folder and in one with a card of other weights.
func TestTortureCard(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes seconds")
	}
	run := filepath.Join(t.TempDir(), "run")
	stderr, err := tiroWith(fault{}, "train", "mnk", "--run", run, "--generations", "2", "--set", "games_per_generation=4",
		"--set", "net={channels: 8, blocks: 1, outcome_channels: 1, hidden: 0}", "--set", "selfplay.search.simulations=2",
		"--set", "learner.batch_size=8", "--set", "checkpoints.every=1")
	require.NoError(t, err, stderr)
	games := filepath.Join(t.TempDir(), "games")
	cards := func(f fault, path, dir string) (stderr string, err error) { // which plays nothing after the first time
		return tiroWith(f, "rate", path, "--newest", "--games", "12", "--sims", "1", "--dir", games, "--card", dir)
	}
	older, newer := filepath.Join(t.TempDir(), "card"), filepath.Join(t.TempDir(), "card")
	for dir, path := range map[string]string{older: filepath.Join(run, "checkpoints", "000001"), newer: run} {
		stderr, err := cards(fault{}, path, dir)
		require.NoError(t, err, stderr)
	}
	stderr, err = cards(fault{}, run, newer)
	require.NoError(t, err, stderr)
	want := folderContents(t, newer)
	require.Len(t, want, 3)
	require.False(t, want[models.WeightsFile] == folderContents(t, older)[models.WeightsFile])
	for _, before := range []string{"", older} {
		stderr, err := cards(fault{}, run, copied(t, before))
		require.NoError(t, err, stderr)
		for i, f := range faultsIn(t, stderr) {
			if i%effort.Of(0, 6, 1) != 0 {
				continue
			}
			t.Run(fmt.Sprint(filepath.Base(before), f), func(t *testing.T) {
				dir := copied(t, before)
				stderr, err := cards(f, run, dir)
				require.Contains(t, stderr, faultMark)
				require.Error(t, err, stderr)
				requireNoWrongCard(t, dir)
				stderr, err = cards(fault{}, run, dir)
				require.NoError(t, err, stderr)
				require.Equal(t, want, folderContents(t, dir))
			})
		}
	}
}

// copied returns the path of a folder to be made, or of a copy of one. The names
// of the folders above it, which are synced too, are the same in every test.
func copied(t *testing.T, from string) string {
	dir := filepath.Join(t.TempDir(), "cards", "card")
	require.NoError(t, os.Mkdir(filepath.Dir(dir), 0o777))
	if from != "" {
		require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	}
	return dir
}

// faultsIn returns every fault at every operation on the files of a card, of which the
// standard error of a program has a count.
func faultsIn(t *testing.T, stderr string) (faults []fault) {
	_, line, _ := strings.Cut(stderr, seenMark)
	var seen map[string]int
	require.NoError(t, json.Unmarshal([]byte(line), &seen))
	for _, op := range slices.Sorted(maps.Keys(seen)) {
		if strings.Contains(op, "games") {
			continue
		}
		kinds := []string{faultPower, faultBroken}
		if strings.HasPrefix(op, "write ") {
			kinds = append(kinds, faultTorn, faultFull)
		}
		for _, kind := range kinds {
			for after := range seen[op] {
				faults = append(faults, fault{Kind: kind, At: op, After: after, Seed: 1})
			}
		}
	}
	require.Greater(t, len(faults), 20)
	return faults
}

// tiroWith runs the program on a disk with a fault.
func tiroWith(f fault, args ...string) (stderr string, err error) {
	cmd := exec.Command(faultyTiro, args...)
	cmd.Env = append(os.Environ(), f.environ())
	var written bytes.Buffer
	cmd.Stderr = &written
	err = cmd.Run()
	return written.String(), err
}

// requireNoWrongCard fails if the folder holds a card that is damaged or does not
// describe the weights and equal the text beside it.
func requireNoWrongCard(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, card.File))
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	c, err := card.Read(data)
	require.NoError(t, err)
	weights, err := os.ReadFile(filepath.Join(dir, models.WeightsFile))
	require.NoError(t, err)
	require.Equal(t, c.Weights, models.Measure(weights))
	text, err := os.ReadFile(filepath.Join(dir, card.MarkdownFile))
	require.NoError(t, err)
	require.Equal(t, c.Markdown(), string(text))
}

// folderContents returns the files of a folder.
func folderContents(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(data)
	}
	return files
}
