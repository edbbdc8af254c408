package play

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/env"
)

// Result returns the payoffs of a finished game and its ending: the rule, or the resignation.
// The payoffs are nil during the game, and if it ends without a result.
func (t *Table) Result() (payoffs *env.Value, how string) {
	if t.abandoned() {
		seat, _ := t.Resigned()
		if len(t.Seats) == 2 {
			v := env.WinFor(1-seat, 2)
			payoffs = &v
		}
		return payoffs, env.SeatName(t.Rules, seat) + " resigned"
	}
	v, over := t.State().Result()
	if !over {
		return nil, ""
	}
	return &v, env.Ending(t.State())
}

// ResultText describes the result of a finished game. name returns the name of a seat.
func (t *Table) ResultText(name func(seat env.Player) string) string {
	payoffs, how := t.Result()
	if how != "" {
		how = " (" + how + ")"
	}
	if payoffs == nil {
		return "The game ends without a result" + how
	}
	var names []string
	for _, seat := range winners(*payoffs, len(t.Seats)) {
		names = append(names, name(seat))
	}
	switch len(names) {
	case 0:
		return fmt.Sprintf("The game is over%s; payoffs by player: %v", how, payoffs[:len(t.Seats)])
	case 1:
		return capitalize(names[0]) + " wins" + t.margin() + how
	case len(t.Seats):
		return "A draw" + how
	default:
		return capitalize(env.Enumerate(names)) + " share the win" + how
	}
}

// margin returns the margin of points, as in " by 3.5", of a game that was played to its end,
// "" for other games.
func (t *Table) margin() string {
	g, ok := t.Rules.(env.GTPGame)
	if _, over := t.State().Result(); !ok || !over {
		return ""
	}
	return fmt.Sprintf(" by %g", math.Abs(g.Lead(t.State())))
}

// winners returns the seats that have won: one, several that share the win, or all in a draw.
// It returns nil for other payoffs.
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

// resultCode formats a result for UGI: pNwin, several of them for a shared win, draw if all
// share it, or none before the end. Other payoffs are a draw.
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
