package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/arena/rating"
)

// Games is the results of a match of two players, A with one seat and B with the
// others, in text: groups that share an opening, separated by spaces. In a group A
// has each seat in turn, beginning with seat 0. A game is the seats that won it, all
// of them in a draw, and a slash stands between games: "0/1 01/0" is A's two wins,
// then a draw and a loss.
type Games string

// maxGroups bounds the groups of a match.
const maxGroups = 1 << 16

// groups returns the results for a fit that knows the players as a and b.
func (g Games) groups(seats, a, b int) ([]rating.Group, error) {
	words := strings.Fields(string(g))
	if len(words) > maxGroups {
		return nil, fmt.Errorf("%d groups; want at most %d", len(words), maxGroups)
	}
	if strings.Join(words, " ") != string(g) || len(words) == 0 {
		return nil, fmt.Errorf("%.60q; want groups separated by one space", string(g))
	}
	groups := make([]rating.Group, len(words))
	for i, word := range words {
		games := strings.Split(word, "/")
		if len(games) != seats {
			return nil, fmt.Errorf("group %d is %.60q; want %d games, one with the first player on each seat", i, word, seats)
		}
		for seat, text := range games {
			winners, err := parseWinners(text, seats)
			if err != nil {
				return nil, fmt.Errorf("group %d: %w", i, err)
			}
			groups[i] = append(groups[i], rating.Game{Seating: seating(seats, seat, a, b), Winners: winners})
		}
	}
	return groups, nil
}

// seating returns who sits where if a has one seat and b the others.
func seating(seats, seat, a, b int) []int {
	s := slices.Repeat([]int{b}, seats)
	s[seat] = a
	return s
}

// parseWinners reads the seats that won a game.
func parseWinners(text string, seats int) (w rating.Winners, err error) {
	for i, digit := range text {
		seat := int(digit - '0')
		if seat < 0 || seat >= seats || i > 0 && text[i-1] >= text[i] {
			return 0, fmt.Errorf("winners %.20q; want seats from 0 to %d in order", text, seats-1)
		}
		w |= 1 << seat
	}
	if w == 0 {
		return 0, fmt.Errorf("a game without winners; want the seats that won, all of them for a draw")
	}
	return w, nil
}

// gamesOf returns the games of a match of two players.
func gamesOf(report arena.Report) Games {
	var b strings.Builder
	for i, r := range report.Records {
		switch {
		case i == 0:
		case r.Group != report.Records[i-1].Group:
			b.WriteByte(' ')
		default:
			b.WriteByte('/')
		}
		best := slices.Max(r.Result)
		for seat, payoff := range r.Result {
			if payoff == best {
				b.WriteString(strconv.Itoa(seat))
			}
		}
	}
	return Games(b.String())
}

// count returns the number of games.
func (g Games) count() int {
	if g == "" {
		return 0
	}
	return 1 + strings.Count(string(g), " ") + strings.Count(string(g), "/")
}

// join returns the games of one match and then those of another.
func (g Games) join(more Games) Games {
	if g == "" {
		return more
	}
	return g + " " + more
}
