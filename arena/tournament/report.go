package tournament

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"tiro/arena"
	"tiro/arena/rating"
	"tiro/env"
	"tiro/format"
	"tiro/internal/decimal"
)

var fileHeader = format.Header{Format: 1, What: "tiro tournament"}

// Report is the result of a tournament. It is also the JSON file of tiro match --json.
type Report struct {
	format.Header
	Game      string         `json:"game"`             // canonical game string
	Seed      uint64         `json:"seed"`             // seed of all randomness
	Opening   int            `json:"opening"`          // random actions at the start of each game
	Starts    string         `json:"starts,omitempty"` // checksum of the openings of --openings
	Gauntlet  bool           `json:"gauntlet"`         // whether the first player takes part in every meeting
	Requested int            `json:"requested_games"`  // games asked for
	Games     int            `json:"games"`            // games finished
	Players   []Standing     `json:"players"`          // from strong to weak
	Endings   map[string]int `json:"endings"`          // games by the rule that ended them, adjudicated, length-limit, forfeit or time-forfeit
	Matches   []arena.Report `json:"matches"`          // the meetings
}

// Standing is the result of a player in a tournament.
type Standing struct {
	Name   string         `json:"name"`    // name of the player
	Number int            `json:"number"`  // its place on the command line, from 0
	Games  int            `json:"games"`   // finished games
	Points float64        `json:"points"`  // 1 for a win, 1/k for a win shared by k seats (a draw: by all)
	Elo    arena.Interval `json:"elo"`     // Elo above the first player; all null before every player has played
	Cross  []Cell         `json:"against"` // by place in this list: games with that player
}

// Cell is a player's result in its games with another one.
type Cell struct {
	Games  int     `json:"games"`  // finished games
	Points float64 `json:"points"` // points of the player
}

// report returns the report on the meetings. The first ones have reports.
func (t *Tournament) report(meetings []Meeting, reports []arena.Report) Report {
	r := Report{
		Header: fileHeader, Game: t.Game.Spec().Name, Seed: t.Seed, Opening: t.Opening, Gauntlet: t.Gauntlet,
		Starts: t.Conditions(t.By).Starts, Endings: map[string]int{}, Matches: reports,
	}
	n := len(t.Players)
	all, d := make([]Standing, n), rating.Data{}
	for i, p := range t.Players {
		all[i] = Standing{Name: p.String(), Number: i, Cross: make([]Cell, n), Elo: arena.Interval{Value: math.NaN(), Low: math.Inf(-1), High: math.Inf(1)}}
		d.Players = append(d.Players, p.Key())
	}
	for i, m := range meetings {
		if r.Requested += m.Games; i >= len(reports) {
			continue
		}
		r.Games += reports[i].Games
		for ending, games := range reports[i].Endings {
			r.Endings[ending] += games
		}
		for _, g := range reports[i].Records {
			count(all, m.Players, &g)
		}
		d.Groups = append(d.Groups, rating.Groups(arena.CompleteGroups(reports[i].Records, m.Group()), m.Players...)...)
	}
	if fit, err := rating.Fit(d); err == nil { // otherwise some player has no complete group yet
		for i := range all {
			all[i].Elo = fit.Interval(i)
		}
	}
	order := slices.SortedStableFunc(slices.Values(all), func(a, b Standing) int { return cmp.Compare(b.score(), a.score()) })
	for _, s := range order {
		row := make([]Cell, n)
		for j, other := range order {
			row[j] = s.Cross[other.Number]
		}
		s.Cross = row
		r.Players = append(r.Players, s)
	}
	return r
}

// count adds a game between some of the players.
func count(all []Standing, players []int, g *arena.GameRecord) {
	var v env.Value
	copy(v[:], g.Result)
	shares := v.Shares(len(g.Result))
	for seat, player := range g.Seating {
		s := &all[players[player]]
		s.Games++
		s.Points += shares[seat]
		for other, opponent := range g.Seating {
			if other != seat {
				c := &s.Cross[players[opponent]]
				c.Games++
				c.Points += shares[seat]
			}
		}
	}
}

// score returns the player's points per game.
func (s *Standing) score() float64 { return s.Points / float64(max(1, s.Games)) }

// String returns a table of the players with a cross table, and statistics of the games.
func (r Report) String() string {
	var b strings.Builder
	kind := "round-robin"
	if r.Gauntlet {
		kind = "gauntlet"
	}
	fmt.Fprintf(&b, "%s: %s, %d players, %d games, seed %d\n\n", r.Game, kind, len(r.Players), r.Games, r.Seed)
	r.writeTable(&b)
	first := r.Players[slices.IndexFunc(r.Players, func(s Standing) bool { return s.Number == 0 })].Name
	fmt.Fprintf(&b, "\nElo above %s, with 95%% errors\n\npoints of the row in games with the column:\n", first)
	r.writeCross(&b)
	b.WriteString("\n")
	if len(r.Endings) > 0 {
		fmt.Fprintf(&b, "endings   %s\n", arena.Endings(r.Endings))
	}
	forfeits := arena.Forfeits{}
	for _, m := range r.Matches {
		var names []string
		for _, s := range m.Players {
			names = append(names, s.Name)
		}
		forfeits.Add(m.Records, names...)
	}
	b.WriteString(forfeits.String())
	if r.Games < r.Requested {
		fmt.Fprintf(&b, "stopped   %d of %d games unfinished\n", r.Requested-r.Games, r.Requested)
	}
	return b.String()
}

func (r *Report) writeTable(b *strings.Builder) {
	width := len("player")
	for _, s := range r.Players {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
	line := func(place, name, elo, own, games, points, score string) {
		fmt.Fprintf(b, "%3s %-*s %6s %6s %6s %8s %7s\n", place, width, name, elo, own, games, points, score)
	}
	line("", "player", "Elo", "error", "games", "points", "score")
	for i, s := range r.Players {
		elo, own := s.elo()
		line(fmt.Sprint(i+1), s.Name, elo, own, fmt.Sprint(s.Games), fmt.Sprintf("%.1f", s.Points), fmt.Sprintf("%.1f%%", 100*s.score()))
	}
}

func (r *Report) writeCross(b *strings.Builder) {
	width := len("  –")
	for _, s := range r.Players {
		for _, c := range s.Cross {
			width = max(width, len(fmt.Sprintf("%.1f", c.Points)))
		}
	}
	line := func(place string, cell func(i int) string) {
		text := fmt.Sprintf("%3s", place)
		for i := range r.Players {
			text += fmt.Sprintf("  %*s", width, cell(i))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("", func(i int) string { return fmt.Sprint(i + 1) })
	for i, s := range r.Players {
		line(fmt.Sprint(i+1), func(j int) string {
			switch c := s.Cross[j]; {
			case i == j:
				return "–"
			case c.Games == 0:
				return ""
			default:
				return fmt.Sprintf("%.1f", c.Points)
			}
		})
	}
}

// elo returns the rating and its error, or the only bound of the rating.
func (s *Standing) elo() (elo, own string) {
	switch e := s.Elo; {
	case s.Number == 0:
		return "0", ""
	case !math.IsNaN(e.Value):
		return decimal.Signed(e.Value, 0), fmt.Sprintf("±%.0f", (e.High-e.Low)/2)
	case math.IsInf(e.Low, -1) && math.IsInf(e.High, 1):
		return "", ""
	case math.IsInf(e.High, 1):
		return ">" + decimal.Signed(e.Low, 0), ""
	default:
		return "<" + decimal.Signed(e.High, 0), ""
	}
}
