package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
)

// simulation is an ablation without networks: trainings whose strengths are drawn, and
// games whose results follow from them.
type simulation struct {
	deviation    float64   // between trainings, Elo
	effects      []float64 // of the variants, Elo
	seeds, bases int
	games        int     // of a match
	draws        float64 // how often equals draw
	rng          *rand.Rand
}

// meet plays all matches.
func (s *simulation) meet() *meetings {
	train := func(n int, mean float64) (strengths []float64) {
		for range n {
			strengths = append(strengths, mean+s.deviation*s.rng.NormFloat64())
		}
		return strengths
	}
	base := train(s.bases, 0)
	m := &meetings{equal: 0.5}
	for _, effect := range s.effects {
		var rows [][]meeting
		for _, strength := range train(s.seeds, effect) {
			var row []meeting
			for j := range base {
				row = append(row, meeting{s.play(strength - base[j]), s.games})
			}
			rows = append(rows, row)
		}
		m.all = append(m.all, rows)
	}
	return m
}

// play returns the score of a match in pairs of games.
func (s *simulation) play(elo float64) arena.Interval {
	score := 1 / (1 + math.Pow(10, -elo/400))
	draw := 4 * s.draws * score * (1 - score) // does not change the score
	game := func() float64 {
		switch x := s.rng.Float64(); {
		case x < score-draw/2:
			return 1
		case x < score+draw/2:
			return 0.5
		}
		return 0
	}
	var points, games []float64
	for range s.games / 2 {
		points, games = append(points, game()+game()), append(games, 2)
	}
	return arena.GroupScore(2, points, games, nil)
}

// TestRatingsCover: in simulated ablations 95% of the intervals contain the effect, or slightly
// more.
func TestRatingsCover(t *testing.T) {
	tests := []simulation{
		{deviation: 60, effects: []float64{0}, seeds: 3, bases: 3, games: 66},
		{deviation: 60, effects: []float64{0, 40, -80}, seeds: 3, bases: 3, games: 66},
		{deviation: 60, effects: []float64{0, 40, -80}, seeds: 3, bases: 6, games: 34},
		{deviation: 25, effects: []float64{0, 200}, seeds: 4, bases: 4, games: 50, draws: 0.4},
		{deviation: 100, effects: []float64{0, 40}, seeds: 2, bases: 2, games: 100},
		{deviation: 0, effects: []float64{0, 40}, seeds: 3, bases: 3, games: 66},
	}
	for _, s := range tests {
		t.Run(fmt.Sprintf("deviation %g, %d variants, %d seeds, %d bases", s.deviation, len(s.effects), s.seeds, s.bases), func(t *testing.T) {
			const trials = 1000
			s.rng = rand.New(rand.NewPCG(1, uint64(s.seeds*s.bases)))
			held := 0.0
			for range trials {
				m := s.meet().measure(make([]Variant, 1+len(s.effects)))
				for v, effect := range s.effects {
					if d := m.Variants[v+1].Difference; d.Low <= effect && effect <= d.High {
						held += 1 / float64(trials*len(s.effects))
					}
				}
			}
			t.Logf("intervals hold %.1f%%", 100*held)
			require.Greater(t, held, 0.935)
			if s.deviation > 0 { // else a training's games count twice, as its and as the base's
				require.Less(t, held, 0.985)
			}
		})
	}
}

// TestRatings compares ratings by hand: one variant of two trainings meets two trainings of the
// base, in matches of enough games that half a point more has no effect.
func TestRatings(t *testing.T) {
	at := func(elo float64) meeting {
		score := 1 / (1 + math.Pow(10, -elo/400))
		return meeting{arena.Interval{Value: score, Low: score, High: score}, 1e9}
	}
	m := &meetings{equal: 0.5, all: [][][]meeting{{{at(10), at(30)}, {at(50), at(70)}}}}
	x := m.measure(make([]Variant, 2))
	// The variant's trainings have 20 and 60, the base's 10 and -10: squares 800 and 200
	// with 2 degrees of freedom. The difference of the means has twice half the variance.
	const student = 4.302652730
	require.InDeltaSlice(t, []float64{10, -10}, x.Variants[0].Values, 1e-4)
	require.InDeltaSlice(t, []float64{20, 60}, x.Variants[1].Values, 1e-4)
	require.InDelta(t, 40, x.Variants[1].Difference.Value, 1e-4)
	require.InDelta(t, math.Sqrt(500), x.Deviation, 1e-2)
	require.InDelta(t, 40-student*math.Sqrt(500), x.Variants[1].Difference.Low, 1e-2)
}

// TestRatingsOfOneTraining: nothing is known of other trainings.
func TestRatingsOfOneTraining(t *testing.T) {
	m := &meetings{equal: 1. / 3, all: [][][]meeting{{{{arena.Interval{Value: 0.5, Low: 0.4, High: 0.6}, 100}}}}}
	x := m.measure(make([]Variant, 2))
	require.InDelta(t, 400*math.Log10(2), x.Variants[1].Difference.Value, 2)
	require.True(t, math.IsInf(x.Variants[1].Difference.High, 1))
	require.Contains(t, x.String(), "variation between seeds unknown")
	require.Contains(t, x.String(), "unknown")
}

// TestRatingsOfWonMatches: a variant that wins everything has a lower bound only, which
// games bound even if all trainings agree.
func TestRatingsOfWonMatches(t *testing.T) {
	won := meeting{arena.Interval{Value: 1, Low: 0.9, High: 1}, 50}
	m := &meetings{equal: 0.5, all: [][][]meeting{{{won, won}, {won, won}}}}
	x := m.measure(make([]Variant, 2))
	d := x.Variants[1].Difference
	require.True(t, math.IsInf(d.High, 1))
	require.Greater(t, d.Low, 100.)
	require.Less(t, d.Low, d.Value-10)
	require.Contains(t, x.String(), "better")
}
