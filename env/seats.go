package env

import "fmt"

// SeatNamer is a Game whose seats have names that people know them by, such as
// White and Black.
type SeatNamer interface {
	// SeatName returns the name of a seat, with a capital and without white
	// space. No two seats share one.
	SeatName(p Player) string
}

// SeatName returns what messages call a seat: its name if the game has names,
// otherwise "player" and its number, counted from 1.
func SeatName(game Game, p Player) string {
	if n, ok := game.(SeatNamer); ok {
		return n.SeatName(p)
	}
	return fmt.Sprintf("player %d", p+1)
}

// Shares returns the share of the win that each of players seats has by the
// payoffs v: the probabilities, or the parts of a shared win, whose payoffs by
// WinFor average to v. Of two winners each has 1/2; a draw is a win shared by
// all. The shares sum to 1.
//
// Seat i with share x_i is paid x_i less what the others have, spread over
// n-1, so that x_i = ((n-1)·v_i + 1)/n. Below -1/(n-1), which no win of others
// pays, there is nothing to share: such payoffs count as that, and the shares
// of the rest are made to sum to 1.
func (v Value) Shares(players int) [MaxPlayers]float64 {
	var shares [MaxPlayers]float64
	n, sum := float64(players), 0.0
	for i := range players {
		shares[i] = max(0, (float64(v[i])*(n-1)+1)/n)
		sum += shares[i]
	}
	for i := range players {
		shares[i] /= sum
	}
	return shares
}
