package arena

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/format"
)

// fileHeader is the kind of file that a Report makes.
var fileHeader = format.Header{Format: 1, What: "tiro match"}

// Report is the result of a match. Its JSON is made of the fields below; some
// are of games of two seats only, Players of the others.
type Report struct {
	format.Header
	Game      string   `json:"game"`                 // canonical game string
	SeatNames []string `json:"seat_names,omitempty"` // if the game has them
	A         string   `json:"a,omitempty"`          // two seats: names of the players
	B         string   `json:"b,omitempty"`
	Seed      uint64   `json:"seed"`
	Opening   int      `json:"opening"` // random actions asked for
	Wanted    int      `json:"wanted"`  // games asked for
	Games     int      `json:"games"`   // games finished

	// Two seats, where B's results are the opposite.
	Total Tally    `json:"total,omitzero"` // A's results
	Seats []Tally  `json:"seats,omitzero"` // A's results on each seat
	Score Interval `json:"score,omitzero"` // A's share of the points, over the complete groups
	Elo   Interval `json:"elo,omitzero"`   // A's rating above B's

	// More than two seats.
	Players []Standing `json:"players,omitzero"`

	Groups int            `json:"groups"`          // complete groups: openings played from every seat
	Points map[string]int `json:"points,omitzero"` // two seats: groups by A's points in them, such as "1.5"

	Endings  map[string]int `json:"endings"`  // games by the rule that ended them; empty if the game does not say
	Plies    Plies          `json:"plies"`    // lengths of games, in actions, openings included
	Distinct int            `json:"distinct"` // different games, by all their actions

	Adjudications *Adjudications `json:"adjudications,omitempty"` // nil if nothing was decided early

	Records []Record `json:"records"` // by number
}

// Tally counts one player's games: won if the payoff is above 0, which includes
// wins that are shared, lost if below.
type Tally struct {
	Won   int `json:"won"`
	Drawn int `json:"drawn"`
	Lost  int `json:"lost"`
}

func (t *Tally) add(payoff float32) {
	switch {
	case payoff > 0:
		t.Won++
	case payoff < 0:
		t.Lost++
	default:
		t.Drawn++
	}
}

// Games returns the number of games counted.
func (t Tally) Games() int { return t.Won + t.Drawn + t.Lost }

// Plies sums up the lengths of games.
type Plies struct {
	Mean float64 `json:"mean"`
	Min  int     `json:"min"`
	Max  int     `json:"max"`
}

// Record is one game of a match.
type Record struct {
	Number  int       `json:"number"`            // from 0
	Group   int       `json:"group"`             // games of one group share their opening
	Seat    int       `json:"seat"`              // of the first player, from 0
	Seating []int     `json:"seating,omitempty"` // number of the player on each seat; left out for two seats
	Opening int       `json:"opening"`           // how many of the moves were random
	Moves   []string  `json:"moves"`             // from the start, in the game's notation
	Result  []float32 `json:"result"`            // payoff by seat
	Ending  string    `json:"ending,omitempty"`  // the rule that ended the game, Adjudged or TooLong
	Decided *int      `json:"decided,omitempty"` // the seat that the players agreed had won, whether or not the game was played on
}

// player returns the number of the player on a seat.
func (r Record) player(seat int) int {
	switch {
	case r.Seating != nil:
		return r.Seating[seat]
	case r.Seat == seat:
		return 0
	}
	return 1
}

// points returns the points that a player has on a seat, or on all of its seats
// if seat is below 0: 1 for a win, 0 for a loss, equal parts of a win that is
// shared (env.Value.Shares).
func (r Record) points(player, seat int) float64 {
	var v env.Value
	copy(v[:], r.Result)
	shares := v.Shares(len(r.Result))
	sum := 0.0
	for s := range r.Result {
		if (seat < 0 || s == seat) && r.player(s) == player {
			sum += shares[s]
		}
	}
	return sum
}

func newReport(m Match, t *table, records []Record) Report {
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	r := Report{
		Header: fileHeader,
		Game:   m.Game.Spec().Name, Seed: m.Seed, Opening: m.Opening, Wanted: m.Games, Games: len(records),
		Endings: map[string]int{}, Records: records,
	}
	if _, ok := m.Game.(env.SeatNamer); ok {
		for seat := range t.seatings[0] {
			r.SeatNames = append(r.SeatNames, env.SeatName(m.Game, env.Player(seat)))
		}
	}
	distinct := map[string]bool{}
	for i, g := range records {
		if g.Ending != "" {
			r.Endings[g.Ending]++
		}
		plies := len(g.Moves)
		r.Plies.Mean += float64(plies) / float64(len(records))
		r.Plies.Max = max(r.Plies.Max, plies)
		if r.Plies.Min = min(r.Plies.Min, plies); i == 0 {
			r.Plies.Min = plies
		}
		distinct[strings.Join(g.Moves, " ")] = true
	}
	r.Distinct = len(distinct)
	r.Adjudications = adjudications(records)
	groups := completeGroups(records, len(t.seatings))
	r.Groups = len(groups)
	r.rate(t, groups)
	return r
}

// completeGroups returns the records of the groups of which all games were
// finished, size each. Records are sorted by number.
func completeGroups(records []Record, size int) [][]Record {
	var groups [][]Record
	for from := 0; from < len(records); {
		to := from + 1
		for to < len(records) && records[to].Group == records[from].Group {
			to++
		}
		if to-from == size {
			groups = append(groups, records[from:to])
		}
		from = to
	}
	return groups
}

// rate fills in who did how well.
func (r *Report) rate(t *table, groups [][]Record) {
	if len(t.seatings[0]) > 2 {
		r.Players = standings(t, r.Records, groups)
		return
	}
	r.A, r.B = t.players[0][0].Name(), t.players[1][0].Name()
	r.Seats, r.Points = make([]Tally, 2), map[string]int{}
	for _, g := range r.Records {
		r.Total.add(g.Result[g.Seat])
		r.Seats[g.Seat].add(g.Result[g.Seat])
	}
	points, _ := pointsOf(groups, 0, anySeat)
	shares := make([]float64, len(points))
	for i, x := range points {
		shares[i] = x / 2
		r.Points[fmt.Sprintf("%.4g", x)]++
	}
	r.Score = ShareInterval(shares)
	r.Elo = EloInterval(r.Score, 1)
}
