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
	"gonum.org/v1/plot"

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
	for _, high := range []float64{1e-280, 1e-6, 0.0015, 1, 7, 13, 1234, 1e7, 1e9, 1e300} {
		for _, low := range []float64{0, -high / 3, high * (1 - 1e-11)} {
			n := len(Ticks(low, high, 6))
			require.True(t, n >= 2 && n <= 7, "%v to %v: %d", low, high, n)
		}
	}
	require.Equal(t, []float64{-50, 0, 50, 100}, Ticks(-60, 130, 6))
	require.Equal(t, []plot.Tick{{Value: 0.5, Label: "0.5"}, {Value: 1, Label: "1"}}, ticks(3).Ticks(0.4, 1.1))
	for _, test := range []struct{ low, high float64 }{
		{1, 1},
		{2, 1},
		{0, math.NaN()},
		{math.Inf(-1), 0},
		{-math.MaxFloat64, math.MaxFloat64},
		{1, math.Nextafter(1, 2)},
		{1e300, math.Nextafter(1e300, math.Inf(1))},
		{0, math.SmallestNonzeroFloat64},
	} {
		require.Empty(t, Ticks(test.low, test.high, 6), "%v to %v", test.low, test.high)
	}
}
