package replay

import (
	"slices"

	"tiro/env"
)

// outcome is what the wanted outcome of a sample is mixed from: the game's result
// and the payoff that the search expected. Of the result only the part certainty
// counts, the rest is taken for a draw.
type outcome struct {
	result, value env.Value
	valueWeight   float64 // of value, 0 to 1; the rest is the result's
	certainty     float64 // 0 to 1
}

// write writes to dst, [players+1], the wanted probabilities of the results as
// the viewer sees them: a win of the viewer, of the next seats round the table,
// a draw.
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

// addOutcome adds the probabilities that give the payoff v, times weight.
//
// A payoff does not determine the probabilities: a payoff of 0 may be a certain
// draw or an even fight. It determines only which share x_i of a win each seat
// expects (env.Value.Shares), to which a draw contributes 1/n. If a draw has the
// probability d, the wins hence have
//
//	p_i = x_i - d/n
//
// for any d that leaves none of them below 0. Of those addOutcome takes the one
// nearest to drawn, which is 1 if the game at hand was a draw and else 0: over
// many games draws are then learned as often as they happen, and the payoff is
// kept. A win that several seats share becomes an even chance of a win for each.
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
