package play

import (
	"fmt"
	"slices"
	"strings"

	"tiro/env"
)

// resultText says how the game ended.
func (s *session) resultText() string {
	if s.abandoned() {
		loser := s.resigned[len(s.resigned)-1].seat
		text := capitalize(s.name(loser)) + " resigns"
		if len(s.Seats) == 2 {
			return text + "; " + s.name(1-loser) + " wins."
		}
		return text + "; the game ends undecided."
	}
	ending := ""
	if e, ok := s.state.(env.Ender); ok {
		ending = " (" + e.Ending() + ")"
	}
	v, _ := s.state.Result()
	seats := winners(v, len(s.Seats))
	names := make([]string, len(seats))
	for i, seat := range seats {
		names[i] = s.name(seat)
	}
	switch last := len(names) - 1; len(names) {
	case 0:
		return fmt.Sprintf("The game is over%s; payoffs by player: %v.", ending, v[:len(s.Seats)])
	case 1:
		return capitalize(names[0]) + " wins" + ending + "."
	case len(s.Seats):
		return "A draw" + ending + "."
	default:
		return capitalize(strings.Join(names[:last], ", ")) + " and " + names[last] + " share the win" + ending + "."
	}
}

// winners returns the seats that have won: one, several that share the win, or
// all in a draw. It returns none if the payoffs are not those of such a result.
func winners(v env.Value, players int) []env.Player {
	var seats []env.Player
	shares := v.Shares(players)
	most := slices.Max(shares[:players])
	for seat, share := range shares[:players] {
		switch {
		case most-share < 1e-6:
			seats = append(seats, env.Player(seat))
		case share > 1e-6:
			return nil
		}
	}
	return seats
}

// resultCode writes a result as UGI does: pNwin, several of them if a win is
// shared, draw if all share it, or none before the end. Payoffs that winners
// does not know are a draw.
func resultCode(v env.Value, over bool, players int) string {
	if !over {
		return "none"
	}
	seats := winners(v, players)
	if len(seats) == 0 || len(seats) == players {
		return "draw"
	}
	words := make([]string, len(seats))
	for i, seat := range seats {
		words[i] = fmt.Sprintf("p%dwin", seat+1)
	}
	return strings.Join(words, " ")
}

func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
