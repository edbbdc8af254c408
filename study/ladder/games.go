package ladder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/arena"
)

// Games are the results of a match of two players as text. A has one seat and B the others.
// Groups of games that share an opening are separated by spaces, and games of a group by
// slashes. In a group A has each seat in turn, beginning with seat 0. A game is written as the
// seats that won it, all of them in a draw: "0/1 01/0" is two wins of A, then a draw and a
// loss.
type Games string

// GamesOf returns the results of a match whose groups are complete.
func GamesOf(records []arena.GameRecord) Games {
	var b strings.Builder
	for i, r := range sorted(records) {
		switch {
		case i == 0:
		case r.Number%len(r.Seating) == 0:
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

func sorted(records []arena.GameRecord) []arena.GameRecord {
	return slices.SortedFunc(slices.Values(records), func(a, b arena.GameRecord) int { return a.Number - b.Number })
}

// Records returns the games, without moves.
func (g Games) Records(seats int) (all []arena.GameRecord, err error) {
	for i, word := range strings.Fields(string(g)) {
		games := strings.Split(word, "/")
		if len(games) != seats {
			return nil, fmt.Errorf("group %d is %.60q, which must be %d games, one with the first player on each seat", i, word, seats)
		}
		for seat, text := range games {
			r := arena.GameRecord{Number: len(all), Group: i, Seating: seating(seats, seat, 0, 1)}
			if r.Result, err = payoffs(text, seats); err != nil {
				return nil, fmt.Errorf("group %d: %w", i, err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// seating returns the seating with a on one seat and b on the others.
func seating(seats, seat, a, b int) []int {
	s := slices.Repeat([]int{b}, seats)
	s[seat] = a
	return s
}

// payoffs returns the payoffs of a game that the given seats have won.
func payoffs(winners string, seats int) ([]float32, error) {
	result := slices.Repeat([]float32{-1}, seats)
	for _, digit := range winners {
		seat := int(digit - '0')
		if seat < 0 || seat >= seats {
			return nil, fmt.Errorf("winners %.20q must be seats in 0..%d", winners, seats-1)
		}
		result[seat] = (float32(seats)/float32(len(winners)) - 1) / float32(seats-1)
	}
	if winners == "" {
		return nil, fmt.Errorf("a game without winners (in a draw, all seats win)")
	}
	return result, nil
}
