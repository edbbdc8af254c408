package mcts

import (
	"math"

	"tiro/env"
)

// spread measures the standard deviation of the evaluator's values in a tree.
type spread struct {
	usual  float64 // Gumbel.ValueSpread; 0 if the spread is not measured
	factor float64 // usual / standard deviation in this tree; 1 for an empty tree

	count        float64                 // number of positions
	sum, squares [env.MaxPlayers]float64 // payoffs by seat
}

// resetSpread discards all positions.
func (t *tree) resetSpread() { t.spread = spread{usual: t.usual, factor: 1} }

// measureSpread measures all positions of the tree.
func (t *tree) measureSpread() {
	t.resetSpread()
	if t.usual == 0 {
		return
	}
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.visits > 0 && !nd.known() {
			t.noteValue(nd.value)
		}
	}
	t.updateFactor()
}

// noteValue adds a position's value. It takes effect at the next updateFactor.
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

// updateFactor computes the factor from the variance of the payoffs, scaled to [0, 1] and
// averaged over the seats. The usual variance counts as one observation, so that a few
// equal values have little effect. updateFactor is called only when no leaf is in flight,
// so the search does not depend on batch sizes.
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
