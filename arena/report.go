package arena

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Report is the result of a match. Its JSON is made of the fields below.
type Report struct {
	Game    string `json:"game"` // canonical game string
	A       string `json:"a"`    // names of the players
	B       string `json:"b"`
	Seed    uint64 `json:"seed"`
	Opening int    `json:"opening"` // random actions asked for
	Wanted  int    `json:"wanted"`  // games asked for
	Games   int    `json:"games"`   // games finished

	Total Tally   `json:"total"` // A's results
	Seats []Tally `json:"seats"` // A's results on each seat

	Score  Interval       `json:"score"`  // A's share of the points, over the complete groups
	Elo    Interval       `json:"elo"`    // A's rating above B's
	Groups int            `json:"groups"` // complete groups: openings played from every seat
	Points map[string]int `json:"points"` // groups by A's points in them, such as "1.5"

	Endings  map[string]int `json:"endings"`  // games by the rule that ended them; empty if the game does not say
	Plies    Plies          `json:"plies"`    // lengths of games, in actions, openings included
	Distinct int            `json:"distinct"` // different games, by all their actions

	Records []Record `json:"records"` // by number
}

// Tally counts one player's games: won if the payoff is above 0, lost if below.
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
	Number  int       `json:"number"`           // from 0
	Group   int       `json:"group"`            // games of one group share their opening
	Seat    int       `json:"seat"`             // A's, from 0
	Opening int       `json:"opening"`          // how many of the moves were random
	Moves   []string  `json:"moves"`            // from the start, in the game's notation
	Result  []float32 `json:"result"`           // payoff by seat
	Ending  string    `json:"ending,omitempty"` // the rule that ended the game
}

// points returns A's share of the game's points: 1 for a win, 0 for a loss
// (env.WinFor), 1/seats for a draw, and in between what a shared win pays.
func (r Record) points() float64 {
	n := float64(len(r.Result))
	return max(0, (float64(r.Result[r.Seat])*(n-1)+1)/n)
}

func newReport(m Match, t *table, records []Record) Report {
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Number, b.Number) })
	r := Report{
		Game: m.Game.Spec().Name, A: t.a.Name(), B: t.b[0].Name(),
		Seed: m.Seed, Opening: m.Opening, Wanted: m.Games, Games: len(records),
		Seats: make([]Tally, t.seats), Points: map[string]int{}, Endings: map[string]int{},
		Records: records,
	}
	distinct := map[string]bool{}
	for i, g := range records {
		payoff := g.Result[g.Seat]
		r.Total.add(payoff)
		r.Seats[g.Seat].add(payoff)
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
	r.rate(t.seats)
	return r
}

// rate fills in what is computed from complete groups.
func (r *Report) rate(seats int) {
	games, points := map[int]int{}, map[int]float64{}
	for _, g := range r.Records {
		games[g.Group]++
		points[g.Group] += g.points()
	}
	var shares []float64
	for _, group := range slices.Sorted(maps.Keys(games)) {
		if games[group] == seats {
			shares = append(shares, points[group]/float64(seats))
			r.Points[fmt.Sprintf("%.4g", points[group])]++
		}
	}
	r.Groups = len(shares)
	r.Score = ShareInterval(shares)
	r.Elo = EloInterval(r.Score, seats)
}

// String returns the report as a table for people.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s against %s, %d games, seed %d\n\n", r.Game, r.A, r.B, r.Games, r.Seed)
	width := max(len(r.A), len("  as player 1"))
	fmt.Fprintf(&b, "%-*s  %6s %6s %6s\n", width, r.A, "won", "drawn", "lost")
	row := func(name string, t Tally) {
		fmt.Fprintf(&b, "%-*s  %6d %6d %6d\n", width, "  "+name, t.Won, t.Drawn, t.Lost)
	}
	for seat, t := range r.Seats {
		row(fmt.Sprintf("as player %d", seat+1), t)
	}
	row("in all", r.Total)
	b.WriteString("\n")
	if r.Groups > 0 {
		fmt.Fprintf(&b, "score     %.1f%%, 95%% interval %.1f%% to %.1f%%\n", 100*r.Score.Value, 100*r.Score.Low, 100*r.Score.High)
		fmt.Fprintf(&b, "Elo       %s\n", r.Elo.elo())
		fmt.Fprintf(&b, "openings  %d, by points of %s: %s\n", r.Groups, r.A, counts(r.Points, byKey))
	}
	if len(r.Endings) > 0 {
		fmt.Fprintf(&b, "endings   %s\n", counts(r.Endings, byCount))
	}
	if r.Games > 0 {
		fmt.Fprintf(&b, "length    %d to %d plies, mean %.1f\n", r.Plies.Min, r.Plies.Max, r.Plies.Mean)
		fmt.Fprintf(&b, "distinct  %d of %d games", r.Distinct, r.Games)
		if r.Distinct < r.Games {
			fmt.Fprintf(&b, "; identical games tell nothing new, so the intervals are too narrow")
		}
		b.WriteString("\n")
	}
	if r.Games < r.Wanted {
		fmt.Fprintf(&b, "stopped   %d of %d games were not finished\n", r.Wanted-r.Games, r.Wanted)
	}
	return b.String()
}

// elo returns an interval of Elo differences for people.
func (i Interval) elo() string {
	switch {
	case math.IsInf(i.Low, -1) && math.IsInf(i.High, 1):
		return "unknown"
	case math.IsInf(i.High, 1):
		return fmt.Sprintf("at least %+.0f (95%%); everything was won", i.Low)
	case math.IsInf(i.Low, -1):
		return fmt.Sprintf("at most %+.0f (95%%); nothing was won", i.High)
	}
	return fmt.Sprintf("%+.0f, 95%% interval %+.0f to %+.0f", i.Value, i.Low, i.High)
}

// byCount puts the larger count first.
func byCount(m map[string]int, a, b string) int {
	return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
}

// byKey puts the larger key first.
func byKey(_ map[string]int, a, b string) int { return cmp.Compare(b, a) }

// counts writes a map of counts in the given order.
func counts(m map[string]int, order func(m map[string]int, a, b string) int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return order(m, a, b) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s ×%d", k, m[k])
	}
	return strings.Join(keys, ", ")
}
