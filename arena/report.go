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

var fileHeader = format.Header{Format: 5, What: "tiro match"}

// Report is the result of a match, for any number of seats and players. It is also
// the JSON file of tiro match --json.
type Report struct {
	format.Header
	Game      string   `json:"game"`                 // canonical game string
	SeatNames []string `json:"seat_names,omitempty"` // names of the seats, if the game has them
	Seed      uint64   `json:"seed"`                 // seed of all randomness
	Opening   int      `json:"opening"`              // random actions at the start of each game
	Starts    string   `json:"starts,omitempty"`     // checksum of the openings of --openings
	Requested int      `json:"requested_games"`      // games asked for
	Games     int      `json:"games"`                // games finished
	Groups    int      `json:"groups"`               // openings played in every seating

	Players []Standing `json:"players"` // the players in the order of the command line

	Verdict Verdict     `json:"verdict,omitempty"` // of --sprt: accepted, rejected or undecided
	SPRT    *SPRTReport `json:"sprt,omitempty"`    // of --sprt: the test

	Endings      map[string]int     `json:"endings"`                // games by the rule that ended them, adjudicated, length-limit, forfeit or time-forfeit
	Plies        Plies              `json:"plies"`                  // length of the games in actions
	Distinct     int                `json:"distinct"`               // number of different games
	Adjudication *AdjudicationStats `json:"adjudication,omitempty"` // absent if no winner was agreed early

	Records []GameRecord `json:"records"` // the games, by number
}

// Plies are the lengths of games.
type Plies struct {
	Mean float64 `json:"mean"` // mean length
	Min  int     `json:"min"`  // length of the shortest game
	Max  int     `json:"max"`  // length of the longest game
}

// GameRecord is one game of a match.
type GameRecord struct {
	Number  int   `json:"number"`  // number of the game, from 0
	Group   int   `json:"group"`   // games of a group share their opening
	Seating []int `json:"seating"` // by seat: index of the player

	Position string    `json:"position,omitempty"` // first position, if it is not the game's
	Opening  int       `json:"opening"`            // how many of the moves were random or given
	Moves    []string  `json:"moves"`              // actions from the first position, in the game's notation
	Result   []float32 `json:"result"`             // payoff by seat
	Ending   string    `json:"ending,omitempty"`   // rule that ended the game, or adjudicated, length-limit, forfeit or time-forfeit

	AgreedWinner *int            `json:"agreed_winner,omitempty"` // seat that the players agreed would win, if they did
	Forfeit      *player.Forfeit `json:"forfeit,omitempty"`       // absent unless a player forfeited the game

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
	groups := CompleteGroups(records, len(seatings))
	r := Report{
		Header: fileHeader,
		Game:   m.Game.Spec().Name, Seed: m.Seed, Opening: m.Opening, Starts: startsSum(m.Starts),
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
		r.SeatNames = env.SeatNames(m.Game)
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
		distinct[g.Position+"\n"+strings.Join(g.Moves, " ")] = true
	}
	r.Distinct = len(distinct)
	return r
}

// knownGroups is a set of groups of games, by their seatings, positions and moves. A group that
// equals an earlier one is no further evidence.
type knownGroups map[string]bool

// add adds a group, sorted by number, and reports whether it is new. Groups with unknown moves
// count as new.
func (k knownGroups) add(group []GameRecord) bool {
	var games strings.Builder
	for _, r := range group {
		if len(r.Moves) == 0 {
			return true
		}
		fmt.Fprintln(&games, r.Seating, r.Position, r.Moves)
	}
	if k[games.String()] {
		return false
	}
	k[games.String()] = true
	return true
}

// Repeats reports for each group, sorted by number, whether it repeats an earlier one.
func Repeats(groups [][]GameRecord) (repeated []bool) {
	known := knownGroups{}
	for _, group := range groups {
		repeated = append(repeated, !known.add(group))
	}
	return repeated
}

// CompleteGroups returns the groups whose games, size each, are all finished. The
// records must be sorted by number.
func CompleteGroups(records []GameRecord, size int) [][]GameRecord {
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
