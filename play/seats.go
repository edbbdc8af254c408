package play

import (
	"fmt"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// occupant returns the player on a seat, nil for a person.
func (s *session) occupant(seat env.Player) arena.Player {
	if s.replaced(seat) {
		return s.Analyst
	}
	return s.Seats[seat]
}

// name returns the name of a seat for people, with that of its player.
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

// ParseSeats splits a list "WHO,WHO" of who sits where, one name a seat. Without
// text it is a person, then engines. The options of a player, such as ",sims=64",
// belong to its name.
func ParseSeats(game env.Game, text string) ([]string, error) {
	seats := game.Spec().Players
	var names []string
	if text == "" {
		names = append([]string{Human}, slices.Repeat([]string{TheEngine}, seats-1)...)
		return names, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if key, _, ok := strings.Cut(part, "="); ok && len(names) > 0 && !strings.Contains(key, ":") {
			names[len(names)-1] += "," + part
		} else {
			names = append(names, part)
		}
	}
	if len(names) != seats {
		return nil, fmt.Errorf("%s; %s has %d seats", plural(len(names), "player"), game.Spec().Name, seats)
	}
	return names, nil
}
