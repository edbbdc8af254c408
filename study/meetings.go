package study

import (
	"math"

	"tiro/arena"
)

// meeting is a match between a training run of a variant and a training run of the base.
type meeting struct {
	score arena.Interval // score of the variant; the interval is for these two networks only
	games int
}

// meetings are all matches of an ablation, by variant, seed of its training, and seed of the
// base's training.
type meetings struct {
	equal float64 // score of equal players
	all   [][][]meeting
}

// elo returns the rating difference in a meeting and its variance, in Elo and Elo squared.
// Half a point is added for each seat, one of which belongs to the variant, so that the
// difference is never infinite (Anscombe 1956, "On estimating binomial response relations").
func (m *meetings) elo(x *meeting) (elo, variance float64) {
	n, more := float64(x.games), 0.5
	share := (x.score.Value*n + more) / (n + more/m.equal)
	deviation := (x.score.High - x.score.Low) / 2 / arena.Z95
	slope := 400 / math.Ln10 / (share * (1 - share))
	return arena.Elo(share, 1/m.equal-1), slope * slope * deviation * deviation
}

// measure returns the ratings of all training runs, above the mean of the base's training runs.
//
// The rating of a variant's run is its mean difference from all training runs of the base.
// The rating of a base's run is its mean difference from all training runs of the variants.
// Within a variant and within the base, these ratings vary because training runs differ and
// because of the games. This variance is assumed to be equal for all and is pooled, which
// gives it many degrees of freedom. The difference of the means of S and B training runs has
// 1/S + 1/B of this variance.
//
// An interval is never narrower than the games alone would make it, because a few training runs
// may agree by chance.
func (m *meetings) measure(variants []Variant) Measure {
	trainings, bases := len(m.all[0]), len(m.all[0][0])
	values := [][]float64{make([]float64, bases)}
	noise := make([]float64, len(m.all)) // variance of a variant's mean from the games alone
	for v, seeds := range m.all {
		var rated []float64
		for _, row := range seeds {
			mean := 0.0
			for j := range row {
				elo, variance := m.elo(&row[j])
				mean += elo / float64(bases)
				values[0][j] -= elo / float64(trainings*len(m.all))
				noise[v] += variance / float64(trainings*bases*trainings*bases)
			}
			rated = append(rated, mean)
		}
		values = append(values, rated)
	}
	middle := arena.Mean(values[0])
	for j := range values[0] {
		values[0][j] -= middle
	}
	x := Measure{Name: "Elo", More: true}.measure(variants, values, false, func(int, bool) arena.Pooled { return arena.Pooled{} })
	for v := range m.all {
		d := x.Variants[v+1].Difference
		half := max(d.High-d.Value, arena.Z95*math.Sqrt(noise[v]))
		*d = m.bound(v, arena.Interval{Value: d.Value, Low: d.Value - half, High: d.Value + half})
	}
	return x
}

// bound removes the unknown bound of a variant that has won everything or nothing.
func (m *meetings) bound(variant int, i arena.Interval) arena.Interval {
	won, lost := true, true
	for _, row := range m.all[variant] {
		for _, x := range row {
			won, lost = won && x.score.Value == 1, lost && x.score.Value == 0
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
