package arena

import (
	"slices"

	"tiro/env"
)

// Outcome returns the probabilities of the classes of a result that a search expects: a win
// of each of players seats, then a draw. [players+1], sums to 1.
//
// A search knows payoffs alone, of which half a win and a draw are the same. Draw is
// what is known of draws otherwise, such as by the network alone: the probability is at
// most that, and less where the payoffs v leave no room for it. What a seat wins beside its
// part of the draws is its own win.
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
