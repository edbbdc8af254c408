package play

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// resignation says that the person on a seat resigned.
type resignation struct {
	seat env.Player
	ply  int // number of actions before it
}

// hasResigned reports whether the person on a seat resigned before action number
// ply.
func (s *session) hasResigned(seat env.Player, ply int) bool {
	return slices.ContainsFunc(s.resigned, func(r resignation) bool { return r.seat == seat && r.ply < ply })
}

// abandoned reports whether a resignation has ended the game. With two seats
// every resignation does. With more the game goes on as long as the analyst can
// take the seat and a person is left.
func (s *session) abandoned() bool {
	switch {
	case len(s.resigned) == 0:
		return false
	case len(s.Seats) == 2 || s.Analyst == nil:
		return true
	}
	return len(s.resigned) == s.people()
}

// occupant returns the player on a seat, nil for a person. If the game goes on
// after a person's resignation, the analyst has the seat.
func (s *session) occupant(seat env.Player) arena.Player {
	if s.hasResigned(seat, math.MaxInt) && !s.abandoned() {
		return s.Analyst
	}
	return s.Seats[seat]
}

// people returns the number of seats of people.
func (s *session) people() int {
	n := 0
	for _, p := range s.Seats {
		if p == nil {
			n++
		}
	}
	return n
}

// name returns the name of a seat for people, with that of its player.
func (s *session) name(seat env.Player) string {
	name := env.SeatName(s.Game, seat)
	switch p := s.occupant(seat); {
	case p != nil:
		return fmt.Sprintf("%s (%s)", name, p.Name())
	case s.people() > 1:
		return name
	}
	return name + " (you)"
}

// Names of ParseSeats that are no kinds of arena.ParsePlayer.
const (
	Human     = "human"
	TheEngine = "engine"
)

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
