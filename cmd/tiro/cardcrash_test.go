package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
)

// TestCardOutlastsFaults: whatever goes wrong with whichever operation on the
// disk, what is left is no wrong card, and the same command ends as if nothing
// had been; where there is no folder yet, and in one with a card of other weights.
func TestCardOutlastsFaults(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes seconds")
	}
	run := smallRun(t)
	older, newer := filepath.Join(t.TempDir(), "card"), filepath.Join(t.TempDir(), "card")
	for dir, checkpoint := range map[string]string{older: "000001", newer: "000002"} {
		said, err := rateWith(fault{}, filepath.Join(run, checkpointsDir, checkpoint), dir)
		require.NoError(t, err, said)
	}
	want := folderContents(t, newer)
	require.Len(t, want, 3)
	require.False(t, want[bundled.WeightsFile] == folderContents(t, older)[bundled.WeightsFile])
	for _, before := range []string{"", older} {
		for _, f := range faultsOf(t, run, before) {
			t.Run(fmt.Sprint(filepath.Base(before), f), func(t *testing.T) {
				t.Parallel()
				dir := copied(t, before)
				said, err := rateWith(f, run, dir)
				require.Contains(t, said, faultMark)
				require.Error(t, err, said)
				requireNoWrongCard(t, dir)
				said, err = rateWith(fault{}, run, dir)
				require.NoError(t, err, said)
				require.Equal(t, want, folderContents(t, dir))
			})
		}
	}
}

// smallRun returns a run of two generations.
func smallRun(t *testing.T) string {
	run := filepath.Join(t.TempDir(), "run")
	said, err := tiroWith(fault{}, "train", "mnk", "--run", run, "--generations", "2", "--set", "games_per_generation=4",
		"--set", "net={channels: 8, blocks: 1, outcome_channels: 1, hidden: 0}", "--set", "selfplay.search.simulations=2",
		"--set", "learner.batch=8", "--set", "checkpoints.every=1")
	require.NoError(t, err, said)
	return run
}

// rateWith runs tiro card on a disk with a fault.
func rateWith(f fault, path, dir string) (said string, err error) {
	return tiroWith(f, "card", path, "--out", dir, "--games", "2", "--sims", "1", "--curve", "0", "--anchors", "random,mcts:1")
}

// copied returns a folder to be made, or a copy of one that is there.
func copied(t *testing.T, from string) string {
	dir := filepath.Join(t.TempDir(), "card")
	if from != "" {
		require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	}
	return dir
}

// faultsOf returns all that may go wrong when a run is rated in a copy of a
// folder.
func faultsOf(t *testing.T, run, before string) (faults []fault) {
	said, err := rateWith(fault{}, run, copied(t, before))
	require.NoError(t, err, said)
	_, told, _ := strings.Cut(said, seenMark)
	var seen map[string]int
	require.NoError(t, json.Unmarshal([]byte(told), &seen))
	require.Greater(t, len(seen), 15)
	for op, many := range seen {
		kinds := []string{faultPower, faultBroken}
		if strings.HasPrefix(op, "write ") {
			kinds = append(kinds, faultTorn, faultFull)
		}
		for _, kind := range kinds {
			for after := range many {
				faults = append(faults, fault{Kind: kind, At: op, After: after, Seed: 1})
			}
		}
	}
	return faults
}

// TestCardOutlastsCheckpoints: a run that goes on may remove its checkpoints as
// soon as there are matches.
func TestCardOutlastsCheckpoints(t *testing.T) {
	run, dir := smallRun(t), filepath.Join(t.TempDir(), "card")
	checkpoints := filepath.Join(run, checkpointsDir)
	cmd := cardCommand(&brief{folder: checkpoints})
	cmd.SetArgs([]string{run, "--out", dir, "--games", "2", "--sims", "1", "--anchors", "random", "--yardstick", "random"})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	require.NoError(t, cmd.Execute())
	require.NoDirExists(t, checkpoints)
	data, err := os.ReadFile(filepath.Join(dir, bundled.CardFile))
	require.NoError(t, err)
	c, err := card.Read(data)
	require.NoError(t, err)
	require.Len(t, c.Curve, 3)
	requireNoWrongCard(t, dir)
}

// brief is the machine's disk, on which a folder lasts until something is
// written elsewhere.
type brief struct {
	disk.OS
	folder string
}

// Create implements disk.FS.
func (b *brief) Create(path string) (disk.File, error) {
	if err := os.RemoveAll(b.folder); err != nil {
		return nil, err
	}
	return b.OS.Create(path)
}

// tiroWith runs the program on a disk with a fault and returns what it said on
// standard error.
func tiroWith(f fault, args ...string) (string, error) {
	cmd := exec.Command(faultyTiro, args...)
	cmd.Env = append(os.Environ(), f.environ())
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	return said.String(), err
}

// requireNoWrongCard fails if there is a card in the folder that is damaged or
// of other weights or another text than those beside it.
func requireNoWrongCard(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, bundled.CardFile))
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	c, err := card.Read(data)
	require.NoError(t, err)
	weights, err := os.ReadFile(filepath.Join(dir, bundled.WeightsFile))
	require.NoError(t, err)
	require.Equal(t, c.Weights, models.Measure(weights))
	text, err := os.ReadFile(filepath.Join(dir, bundled.MarkdownFile))
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
