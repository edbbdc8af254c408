package train

import "tiro/env"

// outcome writes to dst, [players+1], the wanted probabilities of a game's
// results as the viewer sees them: a win of the viewer, of the next seats
// round the table, a draw. It mixes the result that the game had with the
// payoff that the search expected, share of the latter. Of the result only the
// part certain counts, the rest is taken for a draw.
func outcome(dst []float32, result, value env.Value, share, certain float64, viewer env.Player) {
	players := len(dst) - 1
	clear(dst)
	drawn := 1 - certain
	if result == (env.Value{}) {
		drawn = 1
	}
	for i := range result {
		result[i] *= float32(certain)
	}
	addOutcome(dst, result.From(viewer, players), drawn, 1-share)
	addOutcome(dst, value.From(viewer, players), drawn, share)
}

// addOutcome adds the probabilities that give the payoff v, times weight.
//
// A payoff says less than probabilities do: of a fair game it cannot tell a
// sure draw from an even fight. With p the wins and d the draw, p sums to 1-d
// and v_i = p_i - (sum of the others)/(n-1), hence
//
//	p_i = ((n-1)·v_i + 1 - d) / n
//
// for any d that leaves no p below 0. Of those it takes the one nearest to
// drawn, which is 1 if the game at hand was a draw and else 0: over many games
// draws are then learned as often as they happen, and the payoff is kept.
func addOutcome(dst []float32, v env.View, drawn, weight float64) {
	players := len(dst) - 1
	n := float64(players)
	lowest := 0.0
	for i := range players {
		lowest = min(lowest, float64(v[i]))
	}
	d := max(0, min(drawn, 1+(n-1)*lowest))
	for i := range players {
		p := ((n-1)*float64(v[i]) + 1 - d) / n
		dst[i] += float32(weight * max(0, p))
	}
	dst[players] += float32(weight * d)
}
