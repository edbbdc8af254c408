package study

import (
	"context"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"tiro/arena"
	"tiro/env/games"
	"tiro/models"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/train"
)

// tinyFits returns fits of two variants to the games of a run, which take an instant.
func tinyFits(t *testing.T) Fits {
	a := tiny(t)
	base := a.Variants[0].Config
	base.GamesPerGeneration = 20
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, train.Run(t.Context(), train.Options{
		Dir: dir, Game: a.Game, Config: base, Workers: 1, Backend: kernel.Best(), Generations: 2,
	}))
	window, err := OpenWindow(dir, games.New)
	require.NoError(t, err)
	fast := window.Config
	fast.Learner.LearningRate *= 2
	return Fits{
		Comparison: Comparison{
			Dir: filepath.Join(t.TempDir(), "fits"), Seeds: 2, Backend: kernel.Best(), Tiro: "test",
			Variants: []Variant{{Name: "base", Config: window.Config}, {Name: "fast", Config: fast}},
		},
		Window: window, HoldOut: 0.3, Steps: 5,
	}
}

func TestValidateFits(t *testing.T) {
	tests := []struct {
		name   string
		change func(f *Fits)
		want   string
	}{
		{"no window", func(f *Fits) { f.Window = nil }, "a window of games and a base"},
		{"no seeds", func(f *Fits) { f.Seeds = 0 }, "seeds must be at least 1, not 0"},
		{"nothing held out", func(f *Fits) { f.HoldOut = 0 }, "not 0"},
		{"everything held out", func(f *Fits) { f.HoldOut = 1 }, "at most 0.9, not 1"},
		{"hardly anything held out", func(f *Fits) { f.HoldOut = 1e-9 }, "at least 2 games must be held out, not 0"},
		{"no length", func(f *Fits) { f.Steps = 0 }, "variant base: length is 0 steps"},
		{"a CPU time without a clock", func(f *Fits) { f.Steps, f.CPUTime = 0, 1 }, "CPU time limit"},
		{"a name that is taken", func(f *Fits) { f.Variants[1].Name = "base" }, `the name "base" is taken`},
		{"no change", func(f *Fits) { f.Variants[1].Config = f.Variants[0].Config }, `variant "fast" changes nothing`},
		{"self-play", func(f *Fits) { f.Variants[1].Config.Selfplay.TemperaturePlies++ }, `variant "fast": selfplay.temperature_plies was 10, is 11: a fit depends only on`},
		{"sample reuse", func(f *Fits) { f.Variants[1].Config.Replay.SampleReuse++ }, "replay.sample_reuse was 4.0, is 5.0: a fit depends only on"},
		{"settings", func(f *Fits) { f.Variants[1].Config.Learner.LearningRate = -1 }, "variant fast: learner.learning_rate is -1"},
	}
	f := tinyFits(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := f
			f.Variants = append([]Variant(nil), f.Variants...)
			require.NoError(t, f.Validate())
			test.change(&f)
			_, err := Fit(t.Context(), f)
			require.ErrorContains(t, err, test.want)
			require.NoDirExists(t, f.Dir)
		})
	}
}

// TestFitsOfOtherGames: a fit is repeated if other games are held out, although its own settings are
// the same.
func TestFitsOfOtherGames(t *testing.T) {
	f := tinyFits(t)
	before, err := f.recipe(&f.Variants[1])
	require.NoError(t, err)
	f.Variants[0].Config.Replay.Window++
	other, err := f.recipe(&f.Variants[1])
	require.NoError(t, err)
	require.NotEqual(t, before, other)
	f.Window.Config.Seed++
	another, err := f.recipe(&f.Variants[1])
	require.NoError(t, err)
	require.NotEqual(t, other, another)
}

// TestFitAgain: after an interruption, and with more seeds, only the missing fits are done,
// and the result is the same as without one.
func TestFitAgain(t *testing.T) {
	f := tinyFits(t)
	whole, err := Fit(t.Context(), f)
	require.NoError(t, err)
	require.Len(t, whole.Trials, 4)

	cut := f
	cut.Dir = filepath.Join(t.TempDir(), "cut")
	ctx, cancel := context.WithCancel(t.Context())
	begun := 0
	cut.Begin = func(string) (func(int, time.Duration), func()) {
		if begun++; begun == 3 {
			cancel()
		}
		return func(int, time.Duration) {}, func() {}
	}
	_, err = Fit(ctx, cut)
	require.ErrorIs(t, err, context.Canceled)
	begun = 10
	resumed, err := Fit(t.Context(), cut)
	require.NoError(t, err)
	require.Equal(t, 12, begun, "two fits were left")
	require.Equal(t, whole, resumed)
	for _, name := range []string{"base-1", "fast-2"} {
		a, err := os.ReadFile(filepath.Join(f.Dir, name, models.WeightsFile))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(cut.Dir, name, models.WeightsFile))
		require.NoError(t, err)
		require.Equal(t, a, b)
	}

	// Weights that are lost are fitted again.
	require.NoError(t, os.Remove(filepath.Join(cut.Dir, "base-2", models.WeightsFile)))
	_, err = Fit(t.Context(), cut)
	require.NoError(t, err)
	require.Equal(t, 13, begun)
	require.FileExists(t, filepath.Join(cut.Dir, "base-2", models.WeightsFile))

	// Of another program they are others.
	cut.Tiro = "newer"
	_, err = Fit(t.Context(), cut)
	require.NoError(t, err)
	require.Equal(t, 17, begun)

	// A fit with other settings is repeated, too.
	cut.HoldOut = 0.2
	_, err = Fit(t.Context(), cut)
	require.NoError(t, err)
	require.Equal(t, 21, begun)
}

// TestWindow: the games of the replay window are divided the same way for every window
// and every variant.
func TestWindow(t *testing.T) {
	f := tinyFits(t)
	w := f.Window
	require.Equal(t, 2, w.Generation)
	training, heldOut := w.split(f.Variants[0].Config.Replay, 0.3)
	require.Len(t, append(training, heldOut...), 40)
	require.Equal(t, w.State.Samples, samplesOf(training)+samplesOf(heldOut))
	require.InDelta(t, 12, len(heldOut), 6)

	small := f.Variants[0].Config.Replay
	small.Window, small.Beta = 100, 0
	fewer, heldFewer := w.split(small, 0.3)
	require.GreaterOrEqual(t, samplesOf(fewer)+samplesOf(heldFewer), 100)
	require.Less(t, samplesOf(fewer)+samplesOf(heldFewer), 120, "the newest games with that many samples")
	require.Equal(t, training[len(training)-len(fewer):], fewer)
	require.Equal(t, heldOut[len(heldOut)-len(heldFewer):], heldFewer)

	_, err := OpenWindow(t.TempDir(), games.New)
	require.ErrorContains(t, err, "not a run folder")
	first := w.folder.Generation(1)
	require.NoError(t, os.Remove(first.Episodes()))
	_, err = OpenWindow(w.folder.Path(), games.New)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "the window of generation 2: the games of generation 1 are not kept: use a newer checkpoint: ")
	_, err = OpenWindow(w.folder.Generation(0).Checkpoint(), games.New)
	require.ErrorContains(t, err, "no games were played before checkpoint 0")
}

// fitsWith returns fits by variant and seed, whose losses on the parts are given.
func fitsWith(losses [][][]float64) (all [][]*Fitted) {
	for _, variant := range losses {
		var fits []*Fitted
		for _, parts := range variant {
			fit := &Fitted{}
			for _, x := range parts {
				fit.Parts = append(fit.Parts, train.Measured{Samples: 10, PolicyKL: x})
			}
			fits = append(fits, fit)
		}
		all = append(all, fits)
	}
	return all
}

// TestFitIntervals: by hand, two variants of two seeds on two parts. The means of the
// base are 1 and 2, and the variant's 2 and 5.
func TestFitIntervals(t *testing.T) {
	losses := [][][]float64{{{0, 2}, {1, 3}}, {{1, 3}, {5, 5}}}
	m := fitLosses[0].measure(make([]Variant, 2), fitsWith(losses))
	got := m.Variants
	student := func(freedom float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975) }

	// Squares within variants 0.5 and 4.5, 2 degrees of freedom: variance 2.5, of a mean of
	// two seeds 1.25. On the parts the base has 0.5 and 2.5: deviations of 10 samples each
	// make (10² + 10²) / 20² · 2/1 = 1, with 1 degree of freedom.
	require.InDelta(t, 1.5, got[0].Mean.Value, 1e-12)
	freedom := 2.25 * 2.25 / (1.25*1.25/2 + 1)
	require.InDelta(t, 1.5+student(freedom)*math.Sqrt(1.25+1), got[0].Mean.High, 1e-6)
	require.InDelta(t, math.Sqrt(2.5), m.Deviation, 1e-12)
	require.Nil(t, got[0].Difference)

	// Paired differences 1 and 3: Student's interval has the variance 2/2 with 1 degree of
	// freedom. On the parts they are 2.5 and 1.5: 0.25, with 1 degree of freedom.
	require.InDelta(t, 2, got[1].Difference.Value, 1e-12)
	freedom = 1.25 * 1.25 / (1 + 0.25*0.25)
	require.InDelta(t, 2-student(freedom)*math.Sqrt(1+0.25), got[1].Difference.Low, 1e-6)
	paired := arena.Pool([][]float64{{1, 3}}).Interval(2, 1./2, arena.Pooled{})
	require.InDelta(t, paired.High-2, student(1)*math.Sqrt(1), 1e-6)
}

func TestVerdict(t *testing.T) {
	for want, i := range map[string]arena.Interval{
		"worse":   {Value: 2, Low: 1, High: 3},
		"better":  {Value: -2, Low: -3, High: -1},
		"unknown": {Value: 2, Low: -1, High: 5},
	} {
		require.Equal(t, want, (&Measure{}).verdict(i))
		opposite := arena.Interval{Value: -i.Value, Low: -i.High, High: -i.Low}
		require.Equal(t, want, (&Measure{More: true}).verdict(opposite))
	}
	require.Equal(t, "0", (&Measure{}).number(-1e-14), "no sign")
}

// TestFitReportRefused: a report that is something else is not written over.
func TestFitReportRefused(t *testing.T) {
	f := tinyFits(t)
	require.NoError(t, os.MkdirAll(f.Dir, 0o777))
	path := filepath.Join(f.Dir, reportFile)
	for _, text := range []string{"", `{"format":1,"what":"tiro card"}`, `{"format":1,"what":"tiro comparison","trials":[{"fits":[]}]}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		_, err := Fit(t.Context(), f)
		require.ErrorContains(t, err, path)
	}
}

// The base has the settings of the run.
func TestWindowHasTheRunsSettings(t *testing.T) {
	f := tinyFits(t)
	want := recipe.Default("mnk")
	require.Equal(t, want.Learner, f.Window.Config.Learner)
	require.Equal(t, 4, f.Window.Config.Net.Channels)
}

// TestFitOfATimedRun: runs with a limit of the CPU time can be fitted too.
func TestFitOfATimedRun(t *testing.T) {
	a := tiny(t)
	dir, config := filepath.Join(t.TempDir(), "run"), a.Variants[0].Config.ForHours(1)
	config.GamesPerGeneration = 20
	require.NoError(t, train.Run(t.Context(), train.Options{
		Dir: dir, Game: a.Game, Config: config, Workers: 1, Backend: kernel.Best(), Generations: 1,
		CPU: func() time.Duration { return 0 },
	}))
	window, err := OpenWindow(dir, games.New)
	require.NoError(t, err)
	f := tinyFits(t)
	f.Window, f.Variants = window, []Variant{{Name: "base", Config: window.Config}}
	require.NoError(t, f.Validate())
}

// TestFitIntervalsCover: in simulated fits, whose losses vary by the seed, by how a variant
// takes a seed, by the part of the games held out, and by how a variant takes that, 95% of
// the intervals of differences hold the true one, or a little more.
func TestFitIntervalsCover(t *testing.T) {
	tests := []struct{ seed, fit, part, game, rest float64 }{
		{seed: 3, fit: 1, part: 5, game: 1, rest: 1},
		{seed: 0, fit: 2, part: 5, game: 0, rest: 1},
		{seed: 0, fit: 0.3, part: 5, game: 3, rest: 1},
	}
	const trials, variants, seeds = 1000, 3, 4
	for _, test := range tests {
		rng := rand.New(rand.NewPCG(1, 2))
		draw := func(n int, deviation float64) (x []float64) {
			for range n {
				x = append(x, deviation*rng.NormFloat64())
			}
			return x
		}
		held := 0.0
		for range trials {
			bySeed, byPart := draw(seeds, test.seed), draw(fitParts, test.part)
			var losses [][][]float64
			for v := range variants {
				var variant [][]float64
				byGame := draw(fitParts, test.game)
				for s := range seeds {
					parts := draw(fitParts, test.rest)
					fit := float64(v) + bySeed[s] + test.fit*rng.NormFloat64()
					for k := range parts {
						parts[k] += fit + byPart[k] + byGame[k]
					}
					variant = append(variant, parts)
				}
				losses = append(losses, variant)
			}
			for v, got := range fitLosses[0].measure(make([]Variant, variants), fitsWith(losses)).Variants {
				if v > 0 && got.Difference.Low <= float64(v) && float64(v) <= got.Difference.High {
					held += 1. / (trials * (variants - 1))
				}
			}
		}
		t.Logf("%+v: %.1f%%", test, 100*held)
		require.Greater(t, held, 0.94)
		require.Less(t, held, 0.96)
	}
}
