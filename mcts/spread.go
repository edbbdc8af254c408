package mcts

import (
	"math"

	"tiro/env"
)

// spread is how far the values that the evaluator gave to the positions of a tree
// lie apart.
type spread struct {
	usual  float64 // Gumbel.ValueSpread; 0: the spread is not measured
	factor float64 // usual / the standard deviation in this tree: 1 without any position

	count        float64                 // positions
	sum, squares [env.MaxPlayers]float64 // payoffs by seat
}

// resetSpread forgets all positions.
func (t *tree) resetSpread() { t.spread = spread{usual: t.usual, factor: 1} }

// measureSpread measures the whole tree anew.
func (t *tree) measureSpread() {
	t.resetSpread()
	if t.usual == 0 {
		return
	}
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.visits > 0 && !nd.proven {
			t.noteValue(nd.value)
		}
	}
	t.updateFactor()
}

// noteValue adds a position's value. It counts from the next updateFactor on.
func (t *tree) noteValue(value env.Value) {
	if t.usual == 0 {
		return
	}
	t.count++
	for seat, x := range value[:t.players] {
		t.sum[seat] += float64(x)
		t.squares[seat] += float64(float64(x) * float64(x))
	}
}

// updateFactor computes the factor from the variance of a seat's payoff, scaled
// to [0, 1], on average over the seats. One observation more says that it is as
// usual, so that a few equal values prove nothing. It is called when no leaf is in
// flight, so that the search does not depend on the size of batches.
func (t *tree) updateFactor() {
	if t.usual == 0 {
		return
	}
	deviations := 0.0 // squared, summed over the positions
	for seat := range t.players {
		deviations += t.squares[seat] - float64(t.sum[seat]*t.sum[seat])/max(t.count, 1)
	}
	span := 1 - float64(t.loss)
	usual := float64(t.usual * t.usual)
	deviations = max(0, deviations) / (float64(t.players) * span * span)
	t.factor = math.Sqrt(usual * (t.count + 1) / (deviations + usual))
}
