package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
		var rows [][]Meeting
		for i, strength := range train(s.seeds, effect) {
			var row []Meeting
			for j := range base {
				row = append(row, Meeting{Seed: i + 1, Base: j + 1, Score: s.play(strength - base[j]), games: s.games})
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
	draw := 4 * s.draws * score * (1 - score) // the score stays what it is
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
	return arena.PairScore(points, games)
}

// bySeed is the interval that compared every variant with the base of its own seed only,
// by as many games: Student's for the mean of the scores, but never narrower than the
// games would make it.
func (s *simulation) bySeed(effect float64) arena.Interval {
	var values []float64
	square := 0.0
	for range s.seeds {
		all := *s
		all.games *= s.bases
		x := all.play(effect + math.Sqrt2*s.deviation*s.rng.NormFloat64())
		values = append(values, x.Value)
		side := max(x.High-x.Value, x.Value-x.Low)
		square += side * side
	}
	mean := arena.Pool([][]float64{values}).Interval(arena.Mean(values), 1/float64(len(values)), 0)
	half := max(mean.High-mean.Value, math.Sqrt(square)/float64(s.seeds))
	score := arena.Interval{Value: mean.Value, Low: max(0, mean.Value-half), High: min(1, mean.Value+half)}
	return arena.EloInterval(score, 1)
}

// TestRatingsCover: in simulated ablations 95% of the intervals hold the effect, or a
// little more, and they are narrower than those by the bases of the same seeds.
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
			held, deviation := 0.0, 0.0
			var width, before []float64
			for range trials {
				elo, spread := s.meet().ratings()
				deviation += spread.Variance / trials
				for v, effect := range s.effects {
					if elo[v].Low <= effect && effect <= elo[v].High {
						held += 1 / float64(trials*len(s.effects))
					}
				}
				width = append(width, elo[0].High-elo[0].Low)
				old := s.bySeed(0)
				before = append(before, old.High-old.Low)
			}
			slices.Sort(width)
			slices.Sort(before)
			t.Logf("intervals hold %.1f%%, median width %.0f Elo, before %.0f; deviation %.0f",
				100*held, width[trials/2], before[trials/2], math.Sqrt(deviation))
			require.Greater(t, held, 0.935)
			if s.deviation > 0 { // else a training's games count twice, as its and as the base's
				require.Less(t, held, 0.985)
			}
			require.Less(t, width[trials/2], before[trials/2])
		})
	}
}

// TestRatings: by hand, one variant of two trainings against two of the base, in matches
// of so many games that half a point more does not count.
func TestRatings(t *testing.T) {
	at := func(elo float64) Meeting {
		score := 1 / (1 + math.Pow(10, -elo/400))
		return Meeting{Score: arena.Interval{Value: score, Low: score, High: score}, games: 1e9}
	}
	m := &meetings{equal: 0.5, all: [][][]Meeting{{{at(10), at(30)}, {at(50), at(70)}}}}
	elo, s := m.ratings()
	// The variant's trainings have 20 and 60, the base's 30 and 50: squares 800 and 200
	// with 2 degrees of freedom. The mean of 40 has twice half the variance.
	const student = 4.302652730
	require.InDelta(t, 40, elo[0].Value, 1e-4)
	require.InDelta(t, 500, s.Variance, 1e-2)
	require.InDelta(t, 40-student*math.Sqrt(500), elo[0].Low, 1e-2)
	require.InDelta(t, 1/(1+math.Pow(10, -0.1)), m.scores(elo[0]).Value, 1e-6)
}

// TestRatingsOfOneTraining: nothing is known of other trainings.
func TestRatingsOfOneTraining(t *testing.T) {
	m := &meetings{equal: 1. / 3, all: [][][]Meeting{{{{Score: arena.Interval{Value: 0.5, Low: 0.4, High: 0.6}, games: 100}}}}}
	elo, s := m.ratings()
	require.InDelta(t, 400*math.Log10(2), elo[0].Value, 2)
	require.True(t, math.IsInf(elo[0].High, 1))
	require.Equal(t, arena.Interval{Value: m.scores(elo[0]).Value, Low: 0, High: 1}, m.scores(elo[0]))
	require.Zero(t, s.Freedom)
}

// TestRatingsOfWonMatches: a variant that wins everything has a lower bound only, which
// games bound even if all trainings agree.
func TestRatingsOfWonMatches(t *testing.T) {
	won := Meeting{Score: arena.Interval{Value: 1, Low: 0.9, High: 1}, games: 50}
	m := &meetings{equal: 0.5, all: [][][]Meeting{{{won, won}, {won, won}}}}
	elo, _ := m.ratings()
	require.True(t, math.IsInf(elo[0].High, 1))
	require.Greater(t, elo[0].Low, 100.)
	require.Less(t, elo[0].Low, elo[0].Value-10)
	require.Equal(t, 1., m.scores(elo[0]).High)
}
