package recipe

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
	"tiro/env/games"
	"tiro/models/card"
	"tiro/rundir"
)

func TestShellLine(t *testing.T) {
	words := []string{"printf", `%s\n`, "pacru:players=3", "a b", "it's", "", "[{step: 1, factor: 0.5}]", "$HOME `x` \\ \"", "é"}
	line := ShellLine(append([]string{}, words...)...)
	require.Contains(t, line, " pacru:players=3 'a b' ")
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Skip("no shell:  ", err)
	}
	want := ""
	for _, word := range words[2:] {
		want += word + "\n"
	}
	require.Equal(t, want, string(out))
}

// TestTrainLine: the command for a built-in configuration is short.
func TestTrainLine(t *testing.T) {
	for _, name := range []string{"coerceo", "coerceo:win=competitive", "pacru:players=3", "connect4", "mnk", "gomoku", "mnk:m=15,n=15,k=5"} {
		c, err := Shipped(name)
		require.NoError(t, err)
		commands, _, err := Lineage(games.New, nil, c, 40)
		require.NoError(t, err)
		require.Equal(t, []string{"tiro train " + name + " --generations 40"}, commands)

		c.Seed, c.Learner.LearningRateDrops = 7, []Drop{{Step: 3, Factor: 0.5}}
		commands, _, err = Lineage(games.New, nil, c, 40)
		require.NoError(t, err)
		require.Equal(t, []string{"tiro train " + name + " --set seed=7 --set 'learner.learning_rate_drops=[{step: 3, factor: 0.5}]' --generations 40"}, commands)
	}
}

// TestLineage: each run in a chain of forks has its own folder.
func TestLineage(t *testing.T) {
	memory := disktest.New()
	written := func(dir string, c Config) string {
		folder, err := rundir.Open(memory, dir)
		require.NoError(t, err)
		_, err = Update(folder, &c, "a note")
		require.NoError(t, err)
		text, err := disk.ReadFile(memory, folder.Path(rundir.ConfigFile), 1<<20)
		require.NoError(t, err)
		return string(text)
	}
	c, err := Shipped("coerceo")
	require.NoError(t, err)
	text := written("run", c)
	origins := []card.Origin{
		{Game: "coerceo", Generation: 10, Config: text},
		{Game: "coerceo", Generation: 20, Config: text},
	}
	c.Net.Blocks++
	commands, last, err := Lineage(games.New, origins, c, 30)
	require.NoError(t, err)
	require.Equal(t, "runs/coerceo-fork-fork", last)
	require.Equal(t, []string{
		"tiro train coerceo --generations 10",
		"tiro fork runs/coerceo --run runs/coerceo-fork",
		"tiro train --run runs/coerceo-fork --generations 20",
		"tiro fork runs/coerceo-fork --run runs/coerceo-fork-fork --set net.blocks=3",
		"tiro train --run runs/coerceo-fork-fork --generations 30",
	}, commands)

	// A warm start begins with the rest of the schedules.
	c.Net.Blocks--
	took := card.Cost{Effort: card.Effort{Generation: 10, Samples: 1_000_000}}
	origins = origins[:1]
	origins[0].Network = &took
	c = c.After(10, took.Samples)
	c.Seed = 3
	commands, last, err = Lineage(games.New, origins, c, 5)
	require.NoError(t, err)
	require.Equal(t, "runs/coerceo-fork", last)
	require.Equal(t, []string{
		"tiro train coerceo --generations 10",
		"tiro fork runs/coerceo --run runs/coerceo-fork --network-only --set seed=3",
		"tiro train --run runs/coerceo-fork --generations 5",
	}, commands)

	// Averaged runs continue the same run.
	c.Seed = 1
	second := c
	second.Seed = 8
	warm := card.Origin{Game: "coerceo", Generation: 4, Config: written("warm", c), Network: &took}
	warm.Averaged = []card.Origin{{Game: "coerceo", Generation: 6, Config: written("second", second)}}
	commands, last, err = Lineage(games.New, append(origins, warm), c.After(4, 0), 0)
	require.NoError(t, err)
	require.Equal(t, "runs/coerceo-fork-fork", last)
	require.Equal(t, []string{
		"tiro train coerceo --generations 10",
		"tiro fork runs/coerceo --run runs/coerceo-fork --network-only",
		"tiro train --run runs/coerceo-fork --generations 4",
		"tiro fork runs/coerceo --run runs/coerceo-fork-2 --network-only --set seed=8",
		"tiro train --run runs/coerceo-fork-2 --generations 6",
		"tiro fork runs/coerceo-fork --run runs/coerceo-fork-fork --average runs/coerceo-fork-2 --network-only",
	}, commands)
}

// TestHintsForShells: a hint can be pasted into the system's shell, and is quoted only
// where necessary.
func TestHintsForShells(t *testing.T) {
	words := func() []string { return []string{"tiro", "train", "--run", `runs\a b`, `runs\plain`, "100%"} }
	require.Equal(t, `tiro train --run "runs\a b" runs\plain "100%"`, lineFor("windows", words()))
	require.Equal(t, `tiro train --run 'runs\a b' 'runs\plain' 100%`, lineFor("linux", words()))
}
