package study

import (
	"math"

	"tiro/arena"
)

// Meeting is a match between a training of a variant and one of the base.
type Meeting struct {
	Seed  int            `json:"seed"`  // of the variant's training
	Base  int            `json:"base"`  // seed of the base's training
	Score arena.Interval `json:"score"` // of the variant; the interval speaks of the two networks that met

	games int
}

// meetings are all meetings of the variants of an ablation, by variant, seed of its
// training, and seed of the base's.
type meetings struct {
	equal float64 // the score of equal players
	all   [][][]Meeting
}

// elo returns the difference in rating that a meeting shows, and its variance, in Elo and
// its square. Half a point is added for each seat, one of which is the variant's, so that
// the difference is never infinite (Anscombe 1956, "On estimating binomial response
// relations").
func (m *meetings) elo(x *Meeting) (elo, variance float64) {
	n, more := float64(x.games), 0.5
	share := (float64(x.Score.Value*n) + more) / (n + more/m.equal)
	deviation := (x.Score.High - x.Score.Low) / 2 / arena.Z95
	slope := 400 / math.Ln10 / (share * (1 - share))
	return arena.Elo(share, 1/m.equal-1), float64(slope * slope * deviation * deviation)
}

// ratings returns the rating of every variant above the base, with the interval that
// speaks of such trainings, and how far trainings are apart.
//
// Every training of a variant is rated by its mean difference from all trainings of the
// base, and every training of the base by its mean difference from all of the variants.
// Within a variant, and within the base, these ratings vary by what makes trainings
// differ and by the games that they played. That variance is taken to be the same for
// all and is pooled, so that it is known with many degrees of freedom. The difference of
// the means of S and B trainings has 1/S + 1/B of it.
//
// The interval is never narrower than the games alone would make it, since few trainings
// may agree by luck.
func (m *meetings) ratings() (elo []arena.Interval, s arena.Pooled) {
	trainings, bases := len(m.all[0]), len(m.all[0][0])
	rated := make([][]float64, len(m.all), len(m.all)+1)
	base := make([]float64, bases)
	noise := make([]float64, len(m.all)) // variance of a variant's mean by the games alone
	for v, seeds := range m.all {
		for _, row := range seeds {
			mean := 0.0
			for j := range row {
				elo, variance := m.elo(&row[j])
				mean += elo / float64(bases)
				base[j] += elo / float64(trainings*len(m.all))
				noise[v] += variance / float64(trainings*bases*trainings*bases)
			}
			rated[v] = append(rated[v], mean)
		}
	}
	s = arena.Pool(append(rated, base))
	for v := range m.all {
		i := s.Interval(arena.Mean(rated[v]), 1/float64(trainings)+1/float64(bases), 0)
		half := max(i.High-i.Value, float64(arena.Z95*math.Sqrt(noise[v])))
		elo = append(elo, m.bound(v, arena.Interval{Value: i.Value, Low: i.Value - half, High: i.Value + half}))
	}
	return elo, s
}

// bound removes the bound that is not known of a variant that has won everything, or
// nothing.
func (m *meetings) bound(variant int, i arena.Interval) arena.Interval {
	won, lost := true, true
	for _, row := range m.all[variant] {
		for _, x := range row {
			won, lost = won && x.Score.Value == 1, lost && x.Score.Value == 0
		}
	}
	if won {
		i.High = math.Inf(1)
	}
	if lost {
		i.Low = math.Inf(-1)
	}
	return i
}

// scores returns the scores that ratings above the base stand for.
func (m *meetings) scores(elo arena.Interval) arena.Interval {
	score := func(elo float64) float64 { return arena.Share(elo, 1/m.equal-1) }
	return arena.Interval{Value: score(elo.Value), Low: score(elo.Low), High: score(elo.High)}
}
