package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models"
	"tiro/models/box"
	"tiro/models/card"
)

// TestCardOutlastsFaults: whatever goes wrong with whichever operation on the
// disk, what is left is no wrong card, and the same command ends as if nothing
// had been.
func TestCardOutlastsFaults(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes seconds")
	}
	run := filepath.Join(t.TempDir(), "run")
	said, err := tiroWith(fault{}, "train", "mnk", "--run", run, "--generations", "1", "--set", "games_per_generation=4",
		"--set", "net={channels: 8, blocks: 1, outcome_channels: 1, hidden: 0}", "--set", "selfplay.search.simulations=2")
	require.NoError(t, err, said)
	rate := func(f fault, dir string) (string, error) {
		return tiroWith(f, "card", run, "--out", dir, "--games", "2", "--sims", "1", "--curve", "0", "--anchors", "random,mcts:1")
	}

	whole := filepath.Join(t.TempDir(), "card")
	said, err = rate(fault{}, whole)
	require.NoError(t, err, said)
	want := folderContents(t, whole)
	require.Len(t, want, 3)
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
				f := fault{Kind: kind, At: op, After: after, Seed: 1}
				t.Run(fmt.Sprint(f), func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "card")
					said, err := rate(f, dir)
					require.Contains(t, said, faultMark)
					require.Error(t, err, said)
					requireNoWrongCard(t, dir)
					said, err = rate(fault{}, dir)
					require.NoError(t, err, said)
					require.Equal(t, want, folderContents(t, dir))
				})
			}
		}
	}
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
// of other weights than those beside it.
func requireNoWrongCard(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, box.CardFile))
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	c, err := card.Read(data)
	require.NoError(t, err)
	weights, err := os.ReadFile(filepath.Join(dir, box.WeightsFile))
	require.NoError(t, err)
	require.Equal(t, c.Weights, models.Measure(weights))
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
