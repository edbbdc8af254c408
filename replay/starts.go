package replay

import (
	"math"
	"math/rand/v2"
	"sort"

	"tiro/env"
	"tiro/internal/portable"
)

// startLambda is the λ of the λ-returns that regret is measured by: the searches of the
// next dozen moves count most.
const startLambda = 0.9

// Starts draws n positions of the games, each in proportion to its regret: by how much
// the search's value differs from the λ-return of what came after it (Sutton and Barto
// 2018, section 12.1), for the seat of which it differs most. A large regret says that
// the game turned out otherwise than the search expected there, and not because of an
// action that the search had not wanted: where another one was drawn, the trace is cut
// as in target. Each position is given by the actions that lead to it; there is none if
// no search was ever wrong. Results count less by discount with each ply, as in Targets.
func (b *Buffer) Starts(n int, discount float64, rng *rand.Rand) [][]env.Action {
	sums, sum := make([]float64, 0, b.Len()), 0.0
	for i := range b.games {
		for _, regret := range b.games[i].regrets(discount) {
			sum += regret
			sums = append(sums, sum)
		}
	}
	if sum == 0 {
		return nil
	}
	starts := make([][]env.Action, n)
	for i := range starts {
		x := rng.Float64() * sum
		game, at := b.sample(sort.Search(len(sums)-1, func(k int) bool { return sums[k] > x }))
		for _, a := range game.actions[:game.samples[at].ply] {
			starts[i] = append(starts[i], env.Action(a))
		}
	}
	return starts
}

// regrets returns the regret of each sample of the game.
func (r *record) regrets(discount float64) []float64 {
	regrets := make([]float64, len(r.samples))
	last := len(r.samples) - 1
	after, ply := r.result, int32(len(r.actions)) // the λ-return of the samples from ply on
	if r.terminated {
		after, ply = r.value(last), r.samples[last].ply
	}
	for at := last; at >= 0; at-- {
		weight := startLambda * r.onPolicy(at)
		faded := portable.Pow(discount, float64(ply-r.samples[at].ply))
		value := r.value(at)
		for seat, v := range value {
			difference := float64(faded*float64(after[seat])) - float64(v)
			regrets[at] = max(regrets[at], weight*math.Abs(difference))
			after[seat] = float32(float64(v) + float64(weight*difference))
		}
		ply = r.samples[at].ply
	}
	return regrets
}
