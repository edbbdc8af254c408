package strength

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/study/ladder"
)

// report returns a report of two runs, of a player and of the ladder.
func report() *ladder.Report {
	r := &ladder.Report{Game: "mnk", Anchor: "mcts:5"}
	add := func(name string, elo float64, c *ladder.Checkpoint) {
		half := 30.0
		r.Players = append(r.Players, ladder.Standing{
			Player: ladder.Player{Name: name}, Candidate: name != "mcts:5" && name != "random", Reference: name == "mcts:5" || name == "random",
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

func TestCurves(t *testing.T) {
	curves := Curves(report())
	require.Len(t, curves, 2)
	require.Equal(t, "a", curves[0].Run)
	require.Equal(t, []Point{{1, 100, 1, 100, 30}, {2, 200, 2, 200, 30}}, curves[0].Points)
	require.Equal(t, []Level{{"random", -300, true}, {"mcts:5", 0, true}, {"mcts:77", 70, false}}, Levels(report()))
}

// TestDraw: both formats are read by decoders of others, are the same each time, and
// have a diagram less where the CPU time of a checkpoint is not known.
func TestDraw(t *testing.T) {
	drawn := func(format string, r *ladder.Report) []byte {
		var b, again bytes.Buffer
		require.NoError(t, Draw(&b, format, r))
		require.NoError(t, Draw(&again, format, r))
		require.Equal(t, b.Bytes(), again.Bytes())
		return b.Bytes()
	}
	untimed := report()
	untimed.Players[0].Checkpoint.CPUHours = 0
	both, one := drawn("svg", report()), drawn("svg", untimed)
	require.Contains(t, string(both), "CPU-hours of training")
	require.NotContains(t, string(one), "CPU-hours of training")
	for _, text := range [][]byte{both, one} {
		require.Contains(t, string(text), "games of self-play")
		require.Contains(t, string(text), "Elo above mcts:5")
		require.Contains(t, string(text), "mcts:77")
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
	}
	wide, err := png.Decode(bytes.NewReader(drawn("png", report())))
	require.NoError(t, err)
	narrow, err := png.Decode(bytes.NewReader(drawn("png", untimed)))
	require.NoError(t, err)
	require.Greater(t, wide.Bounds().Dx(), narrow.Bounds().Dx())

	require.ErrorContains(t, Draw(io.Discard, "gif", report()), `format "gif"; want svg or png`)
	require.ErrorContains(t, Draw(io.Discard, "svg", &ladder.Report{}), "no checkpoint of a run has a rating")
}

// TestTicks are round numbers, few enough, and none without a range.
func TestTicks(t *testing.T) {
	for _, high := range []float64{0.0015, 1, 7, 1234, 1e9} {
		all := ticks(6).Ticks(-high/3, high)
		require.NotEmpty(t, all)
		require.LessOrEqual(t, len(all), 7)
	}
	require.Empty(t, ticks(6).Ticks(1, 1))
	require.Empty(t, ticks(6).Ticks(0, math.NaN()))
}
