package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/player"
	"tiro/study/ladder"
)

// ratedRuns returns a report of two runs, of a player and of the ladder.
func ratedRuns() *ladder.Report {
	r := &ladder.Report{Game: "mnk", Anchor: "mcts:5"}
	add := func(name string, elo float64, c *ladder.Checkpoint) {
		half := 30.0
		r.Players = append(r.Players, ladder.Standing{
			Name: name, Player: player.Spec{Kind: player.Net, Search: player.NetworkConfig(64)}, Candidate: name != "mcts:5" && name != "random", Reference: name == "mcts:5" || name == "random",
			Elo: arena.Interval{Value: elo, Low: elo - half, High: elo + half}, Error: &half, Checkpoint: c,
		})
	}
	add("a2", 200, &ladder.Checkpoint{Run: "a", Generation: 2, Games: 200, CPUHours: 2})
	add("a1", 100, &ladder.Checkpoint{Run: "a", Generation: 1, Games: 100, CPUHours: 1})
	add("b0", -100, &ladder.Checkpoint{Run: "b", Generation: 0})
	add("a3", math.NaN(), &ladder.Checkpoint{Run: "a", Generation: 3, Games: 300, CPUHours: 3})
	r.Players[3].Error = nil
	add("mcts:77", 70, nil)
	add("mcts:5", 0, nil)
	add("random", -300, nil)
	return r
}

// TestWriteRatings: a picture is well-formed, has all players, and lacks a chart where the
// CPU time of a checkpoint is unknown.
func TestWriteRatings(t *testing.T) {
	cpu, games := ratings(ratedRuns())
	require.Len(t, games.Series, 2)
	require.Equal(t, []float64{100, 200}, []float64{games.Series[0].Dots[0].X, games.Series[0].Dots[1].X})
	require.Equal(t, []float64{1, 2}, []float64{cpu.Series[0].Dots[0].X, cpu.Series[0].Dots[1].X})

	mixed := ratedRuns()
	mixed.Players[1].Player.Budget.Simulations = 200
	_, games = ratings(mixed)
	require.Len(t, games.Series, 3, "a curve has one setting")
	require.Equal(t, "a,sims=200", games.Series[1].Name)

	untimed := ratedRuns()
	untimed.Players[0].Checkpoint.CPUHours = 0
	for _, test := range []struct {
		report *ladder.Report
		timed  bool
	}{{ratedRuns(), true}, {untimed, false}} {
		var b bytes.Buffer
		require.NoError(t, WriteRatings(&b, test.report))
		text := b.String()
		for _, want := range []string{"games of self-play", "Elo above mcts:5", ">mcts:77<", ">random<", ">a<", ">b<"} {
			require.Contains(t, text, want)
		}
		require.NotContains(t, text, "NaN")
		require.Equal(t, test.timed, bytes.Contains(b.Bytes(), []byte("CPU-hours of training")))
		for d := xml.NewDecoder(&b); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
	}
	require.Error(t, WriteRatings(io.Discard, &ladder.Report{}))
}
