package train

import (
	"slices"

	"tiro/env"
)

// outcome writes to dst, [players+1], the wanted probabilities of a game's
// results as the viewer sees them: a win of the viewer, of the next seats
// round the table, a draw. It mixes the result that the game had with the
// payoff that the search expected, share of the latter. Of the result only the
// part certain counts, the rest is taken for a draw.
func outcome(dst []float32, result, value env.Value, share, certain float64, viewer env.Player) {
	clear(dst)
	drawn := 1 - certain
	if result == (env.Value{}) {
		drawn = 1
	}
	for i := range result {
		result[i] *= float32(certain)
	}
	addOutcome(dst, result, viewer, drawn, 1-share)
	addOutcome(dst, value, viewer, drawn, share)
}

// addOutcome adds the probabilities that give the payoff v, times weight.
//
// A payoff says less than probabilities do: of a fair game it cannot tell a
// sure draw from an even fight. It says only what share x_i of the win each
// seat has (env.Value.Shares), to which a draw gives 1/n. With d the chance of a
// draw, the wins are hence
//
//	p_i = x_i - d/n
//
// for any d that leaves none of them below 0. Of those it takes the one nearest
// to drawn, which is 1 if the game at hand was a draw and else 0: over many
// games draws are then learned as often as they happen, and the payoff is kept.
// A win that some seats share is an even chance of a win for each of them.
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
