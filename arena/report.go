package arena

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/format"
	"tiro/player"
)

var fileHeader = format.Header{Format: 4, What: "tiro match"}

// Report is the result of a match, for any number of seats and players. Its
// fields are those of its JSON.
type Report struct {
	format.Header
	Game      string   `json:"game"`                 // canonical game string
	SeatNames []string `json:"seat_names,omitempty"` // if the game has them
	Seed      uint64   `json:"seed"`
	Opening   int      `json:"opening"`         // random actions asked for
	Requested int      `json:"requested_games"` // games asked for
	Games     int      `json:"games"`           // games finished
	Groups    int      `json:"groups"`          // openings that were played in every seating

	Players []Standing `json:"players"`

	Verdict Verdict     `json:"verdict,omitempty"` // of the test; empty without one
	SPRT    *SPRTReport `json:"sprt,omitempty"`    // nil without a test

	Endings      map[string]int     `json:"endings"`                // games by the rule that ended them; empty if the game does not say
	Plies        Plies              `json:"plies"`                  // lengths of games in actions, openings included
	Distinct     int                `json:"distinct"`               // different games, by all their actions
	Adjudication *AdjudicationStats `json:"adjudication,omitempty"` // nil if nothing was agreed early

	Records []GameRecord `json:"records"` // by number
}

// Plies sums up the lengths of games.
type Plies struct {
	Mean float64 `json:"mean"`
	Min  int     `json:"min"`
	Max  int     `json:"max"`
}

// GameRecord is one game of a match.
type GameRecord struct {
	Number  int       `json:"number"`           // from 0
	Group   int       `json:"group"`            // games of one group share their opening
	Seating []int     `json:"seating"`          // index of the player on each seat
	Opening int       `json:"opening"`          // how many of the moves were random
	Moves   []string  `json:"moves"`            // from the start, in the game's notation
	Result  []float32 `json:"result"`           // payoff by seat
	Ending  string    `json:"ending,omitempty"` // the rule that ended the game, Adjudicated, LengthLimit or Forfeited

	// AgreedWinner is the seat that the players agreed would win, whether the
	// game was adjudicated or played out; nil if they did not agree.
	AgreedWinner *int `json:"agreed_winner,omitempty"`

	// Forfeit says why the player on a seat lost without having been beaten; nil if
	// none did.
	Forfeit *player.Forfeit `json:"forfeit,omitempty"`

	Effort []Effort `json:"effort"` // by player
}

func byNumber(games []GameRecord) {
	slices.SortFunc(games, func(a, b GameRecord) int { return cmp.Compare(a.Number, b.Number) })
}

func newReport(m *Match, records []GameRecord) Report {
	names := make([]string, len(m.Players))
	for i, p := range m.Players {
		names[i] = p.String()
	}
	byNumber(records)
	seatings := m.seatings()
	groups := completeGroups(records, len(seatings))
	r := Report{
		Header: fileHeader,
		Game:   m.Game.Spec().Name, Seed: m.Seed, Opening: m.Opening,
		Requested: m.Games, Games: len(records), Groups: len(groups),
		Players: standings(names, seatings[0], records, groups),
		Endings: map[string]int{}, Adjudication: adjudicationStats(records), Records: records,
	}
	for i := range r.Players {
		p := &r.Players[i]
		for _, game := range records {
			p.Effort.add(game.Effort[i])
		}
		p.TrainedFor = m.Players[i].TrainedFor
	}
	if _, ok := m.Game.(env.SeatNamer); ok {
		for seat := range seatings[0] {
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
	return r
}

// knownGroups tells groups of games apart. The evidence of a match is in the groups that
// differ: one in which the same players made the same moves as in another says nothing new.
type knownGroups map[string]bool

// add adds a group, sorted by number, and reports whether it differs from all before it.
// Groups whose moves are unknown count as different.
func (k knownGroups) add(group []GameRecord) bool {
	var games strings.Builder
	for _, r := range group {
		if len(r.Moves) == 0 {
			return true
		}
		fmt.Fprintln(&games, r.Seating, r.Moves)
	}
	if k[games.String()] {
		return false
	}
	k[games.String()] = true
	return true
}

// repeats reports for each group whether it repeats one before it, and how many do not.
func repeats(groups [][]GameRecord) (repeated []bool, different int) {
	known := knownGroups{}
	for _, group := range groups {
		fresh := known.add(group)
		repeated = append(repeated, !fresh)
		if fresh {
			different++
		}
	}
	return repeated, different
}

// completeGroups returns the records of those groups of which all games, size
// each, were finished. The records must be sorted by number.
func completeGroups(records []GameRecord, size int) [][]GameRecord {
	var groups [][]GameRecord
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
