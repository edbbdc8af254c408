package arena

import (
	"slices"

	"tiro/env"
)

// Outcome converts the expected payoffs v of a search to outcome probabilities: a win of each
// of players seats, then a draw. [players+1], sums to 1.
//
// Payoffs alone cannot distinguish half a win from a draw. draw is an estimate of the draw
// probability from elsewhere, such as the network. The result's draw probability is draw, or
// less if v leaves no room for it. The rest of each seat's share counts as its wins.
func Outcome(v env.Value, draw float64, players int) []float64 {
	shares := v.Shares(players)
	part := min(draw/float64(players), slices.Min(shares[:players]))
	outcome := make([]float64, players+1)
	for seat := range players {
		outcome[seat] = shares[seat] - part
	}
	outcome[players] = float64(players) * part
	return outcome
}
