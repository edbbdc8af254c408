package main

import (
	"os/exec"
	"testing"

	"tiro/rundir"

	"github.com/stretchr/testify/require"
)

func TestShellLine(t *testing.T) {
	words := []string{"printf", `%s\n`, "pacru:players=3", "a b", "it's", "", "[{step: 1, factor: 0.5}]", "$HOME `x` \\ \"", "é"}
	line := shellLine(append([]string{}, words...)...)
	require.Contains(t, line, " pacru:players=3 'a b' ")
	out, err := exec.Command("sh", "-c", line).Output()
	if err != nil {
		t.Skip("a shell is needed: ", err)
	}
	want := ""
	for _, word := range words[2:] {
		want += word + "\n"
	}
	require.Equal(t, want, string(out))
}

// TestTrainLine: the committed configuration has a short one.
func TestTrainLine(t *testing.T) {
	for _, name := range []string{"coerceo", "coerceo:win=competitive", "pacru:players=3", "connect4", "mnk"} {
		c, err := shippedConfig(name)
		require.NoError(t, err)
		line, err := trainLine(c, 40)
		require.NoError(t, err)
		require.Equal(t, "tiro train "+name+" --generations 40", line)

		c.Seed, c.Learner.LearningRateDrops = 7, []rundir.Drop{{Step: 3, Factor: 0.5}}
		line, err = trainLine(c, 40)
		require.NoError(t, err)
		require.Equal(t, "tiro train "+name+" --set seed=7 --set 'learner.learning_rate_drops=[{step: 3, factor: 0.5}]' --generations 40", line)
	}
}

func TestProcessor(t *testing.T) { require.Regexp(t, `^[[:print:]]+$`, processor()) }
