package replay

import (
	"slices"

	"tiro/env"
)

// outcome holds the components of a sample's outcome target: the game's result and the
// payoff expected by the search. The fraction 1-certainty of the result counts as a draw.
type outcome struct {
	result, value env.Value
	valueWeight   float64 // weight of value, 0 to 1; result has the rest
	certainty     float64 // 0 to 1
}

// write writes the target probabilities of the results to dst, [players+1], as seen by
// viewer: wins of the viewer and of the other seats in turn order, then a draw.
func (o *outcome) write(dst []float32, viewer env.Player) {
	clear(dst)
	drawn, result := 1-o.certainty, o.result
	if result == (env.Value{}) {
		drawn = 1
	}
	for i := range result {
		result[i] *= float32(o.certainty)
	}
	addOutcome(dst, result, viewer, drawn, 1-o.valueWeight)
	addOutcome(dst, o.value, viewer, drawn, o.valueWeight)
}

// addOutcome adds weight times the outcome probabilities that correspond to the payoff v.
//
// A payoff does not determine the probabilities: 0 can be a certain draw or an even fight. It
// determines only the share x_i of the win that each seat expects (env.Value.Shares), to
// which a draw contributes 1/n. If a draw has probability d, the wins therefore have
//
//	p_i = x_i - d/n
//
// for any d that leaves all of them nonnegative. addOutcome chooses the d closest to drawn,
// which is 1 if the game was a draw and otherwise the probability that the discount turned its
// win into a draw, 0 without a discount. Over many games, draws are then learned at their
// frequency, and the payoff is preserved. A win shared by several seats becomes
// an equal chance of a win for each.
func addOutcome(dst []float32, v env.Value, viewer env.Player, drawn, weight float64) {
	players := len(dst) - 1
	n := float64(players)
	shares := v.Shares(players)
	d := min(drawn, n*slices.Min(shares[:players]))
	for i := range players {
		p := shares[(int(viewer)+i)%players] - d/n
		dst[i] += float32(weight * max(0, p))
	}
	dst[players] += float32(weight * d)
}
