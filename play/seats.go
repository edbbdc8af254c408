package play

import (
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/player"
)

// occupant returns the player on a seat, nil for a human.
func (s *session) occupant(seat env.Player) player.Player {
	if s.replaced(seat) {
		return s.Analyst
	}
	return s.Seats[seat]
}

// name returns the name of a seat with its player, for messages.
func (s *session) name(seat env.Player) string {
	name := env.SeatName(s.Game, seat)
	switch p := s.occupant(seat); {
	case p != nil:
		return fmt.Sprintf("%s (%s)", name, p.Name())
	case s.People() > 1:
		return name
	}
	return name + " (you)"
}

// TheEngine is the name of the engine in a list of seats.
const TheEngine = "engine"

// ParseSeats splits a list of players, one for each seat, at commas. The default is a human,
// then engines. A part that does not begin like a player, such as "sims=64", belongs to the
// player before it.
func ParseSeats(game env.Game, text string) ([]string, error) {
	seats := game.Spec().Players
	var names []string
	if text == "" {
		names = append([]string{Human}, slices.Repeat([]string{TheEngine}, seats-1)...)
		return names, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		last := names[max(0, len(names)-1):]
		if len(last) == 0 || last[0] == Human || last[0] == TheEngine || part == Human || part == TheEngine || player.Begins(part) {
			names = append(names, part)
		} else {
			names[len(names)-1] += "," + part
		}
	}
	if len(names) != seats {
		return nil, fmt.Errorf("%s %.100q, but %s has %d seats", env.Plural(len(names), "player"), names, game.Spec().Name, seats)
	}
	return names, nil
}
