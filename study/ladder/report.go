package ladder

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tiro/arena"
	"tiro/arena/rating"
	"tiro/env"
	"tiro/internal/decimal"
	"tiro/player"
)

// Report holds the ratings of candidates and of the ladder's references, on one scale. It is
// the JSON file of tiro rate --json.
type Report struct {
	Game    string `json:"game"`    // game string
	Tiro    string `json:"tiro"`    // version of the program that played
	Backend string `json:"backend"` // kind of the backend of the networks: "fma", "go", or the device and its driver
	Opening int    `json:"opening"` // random actions at the start of each game
	Anchor  string `json:"anchor"`  // player whose rating is 0

	Players    []Standing  `json:"players"`    // candidates as named, then references from strong to weak
	Covariance [][]float64 `json:"covariance"` // covariance of the ratings, by player and player; 0 for the anchor

	differences []difference
	played      []meeting // games between Players, by index
}

// Standing is the rating of a player.
type Standing struct {
	Name      string         `json:"name"`      // name of the player
	Player    player.Spec    `json:"player"`    // its description, as in a file of games
	Candidate bool           `json:"candidate"` // whether it was to be rated
	Reference bool           `json:"reference"` // whether it belongs to the ladder
	Elo       arena.Interval `json:"elo"`       // Elo above the anchor, errors of the ladder included; value null if only a bound is known
	Error     *float64       `json:"error"`     // half the 95% interval with the other references taken as exact; null if only a bound is known
	Games     int            `json:"games"`     // games played; repeated groups count once
	Points    float64        `json:"points"`    // 1 for a win, 1/k for a win shared by k seats

	Checkpoint *Checkpoint `json:"checkpoint,omitempty"` // absent unless the player is a checkpoint of a run
}

// Checkpoint identifies a checkpoint of a run, with the cost of its training.
type Checkpoint struct {
	Run        string  `json:"run"`        // run as named on the command line
	Generation int     `json:"generation"` // generation of the checkpoint
	Games      int     `json:"games"`      // games of self-play up to the checkpoint; 0 if unknown
	CPUHours   float64 `json:"cpu_hours"`  // CPU-hours of training up to the checkpoint; 0 if unknown
}

// SameRun reports whether both players are checkpoints of the same run.
func (s *Standing) SameRun(other *Standing) bool {
	return s.Checkpoint != nil && other.Checkpoint != nil && s.Checkpoint.Run == other.Checkpoint.Run
}

// Curve returns the name of the learning curve that a checkpoint of a run belongs to: the run with
// the settings of the player.
func (s *Standing) Curve() string { return s.Player.WithNetwork(s.Checkpoint.Run).Label() }

// difference is the rating of candidate a above candidate b.
type difference struct {
	a, b string
	elo  arena.Interval
}

// report returns the report on matches, without candidates that no games link with the anchor.
func (r *rater) report(matches []*arena.LoggedMatch) (Report, error) {
	l := r.Ladder
	report := Report{Game: l.Game, Tiro: r.by.Tiro, Backend: r.by.Backend, Opening: l.Opening, Anchor: l.Anchor}
	f, err := r.fit(matches)
	switch {
	case err != nil:
		return report, err
	case f.Ratings == nil:
		return report, fmt.Errorf("ladder: %s has no ladder; give players to rate relative to %s", l.Game, l.Anchor)
	}
	var places []int // by player of the report
	for i, c := range r.Candidates {
		if f.at[r.place[i]] < 0 {
			continue
		}
		s := r.standing(f, c.Spec, r.place[i])
		s.Candidate, s.Checkpoint = true, c.Checkpoint
		report.Players, places = append(report.Players, s), append(places, r.place[i])
	}
	rated := len(places)
	var order []int // references that are no candidates
	for i := range l.Players {
		if f.at[i] >= 0 && !slices.Contains(places, i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Elo[f.at[b]], f.Elo[f.at[a]]) })
	for _, i := range order {
		report.Players, places = append(report.Players, r.standing(f, l.Players[i], i)), append(places, i)
	}
	for _, m := range r.meetings(matches) {
		if a, b := slices.Index(places, m.a), slices.Index(places, m.b); a >= 0 && b >= 0 {
			report.played = append(report.played, meeting{a, b, sorted(m.records)})
		}
	}
	at := make([]int, len(places)) // index in the fit
	for i, place := range places {
		at[i] = f.at[place]
	}
	report.compare(f.Ratings, at[:rated])
	for _, a := range at {
		row := make([]float64, len(at))
		for j, b := range at {
			row[j] = f.Covariance[a][b]
		}
		report.Covariance = append(report.Covariance, row)
	}
	return report, nil
}

func (r *rater) standing(f *fitted, p player.Spec, place int) Standing {
	at := f.at[place]
	s := Standing{Name: p.Label(), Player: p, Reference: r.reference(place), Elo: f.Interval(at), Games: f.Games[at], Points: f.Points[at]}
	if f.Bounded(at) {
		return s
	}
	others := slices.DeleteFunc(r.known(f), func(i int) bool { return i == at })
	own := f.ErrorGiven(at, others)
	s.Error = &own
	return s
}

// Against is the result of a player, with one seat, against an opponent.
type Against struct {
	Opponent string
	arena.Report
}

// Against returns the results of a player of the report, with one seat, against each of its
// opponents, from weak to strong. Checkpoints of the player's own run come last.
func (r *Report) Against(ctx context.Context, game env.Game, rated int) (all []Against, err error) {
	var order, own []int
	for i := range r.Players {
		if r.Players[i].SameRun(&r.Players[rated]) {
			own = append(own, i)
		} else {
			order = append(order, i)
		}
	}
	byElo := func(a, b int) int { return cmp.Compare(middle(r.Players[a].Elo), middle(r.Players[b].Elo)) }
	slices.SortStableFunc(order, byElo)
	slices.SortStableFunc(own, byElo)
	for _, opponent := range append(order, own...) {
		var records []arena.GameRecord
		for _, m := range r.played {
			swapped := m.b == rated && m.a == opponent && game.Spec().Players == 2
			if !swapped && (m.a != rated || m.b != opponent) {
				continue
			}
			half := len(records)
			for _, record := range m.records {
				record.Number += half
				record.Group += half / game.Spec().Players
				if swapped {
					record.Number ^= 1 // the game of the group with the other seating
					record.Seating = []int{1 - record.Seating[0], 1 - record.Seating[1]}
				}
				records = append(records, record)
			}
		}
		if len(records) == 0 {
			continue
		}
		anybody := player.Must(nil, player.Random) // not used, because all games have been played
		report, err := arena.Play(ctx, arena.Match{
			Game: game, Players: []player.Factory{anybody, anybody}, Games: len(records), Finished: records, Workers: 1,
		})
		if err != nil {
			return nil, err
		}
		who := r.Players[opponent]
		if who.SameRun(&r.Players[rated]) { // whose folder means nothing to others
			who.Player.Network = fmt.Sprint("generation ", who.Checkpoint.Generation)
		}
		all = append(all, Against{who.Player.Label(), report})
	}
	return all, nil
}

// maxDifferences is the maximum number of differences in the table.
const maxDifferences = 8

// compare sets the differences between each candidate and the next weaker one, unless there
// are too many.
func (r *Report) compare(fit *rating.Ratings, candidates []int) {
	if len(candidates) > maxDifferences+1 {
		return
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fit.Elo[candidates[b]], fit.Elo[candidates[a]]) })
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		r.differences = append(r.differences, difference{r.Players[a].Name, r.Players[b].Name, fit.Difference(candidates[a], candidates[b])})
	}
}

// listed returns the candidates or, if there are none, all references.
func (r *Report) listed() []Standing {
	var all []Standing
	for _, s := range r.Players {
		if s.Candidate {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		all = r.Players
	}
	return all
}

// WriteCSV writes a line for each candidate, or for each reference if there are no
// candidates. If only a bound is known, elo, error and the unknown end of the interval are
// empty. The last columns are the fields of Checkpoint.
func (r *Report) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"player", "elo", "error", "games", "low", "high", "run", "generation", "trained_games", "cpu_hours"}}
	for _, s := range r.listed() {
		own := ""
		if s.Error != nil {
			own = number(*s.Error)
		}
		row := []string{s.Name, number(s.Elo.Value), own, strconv.Itoa(s.Games), number(s.Elo.Low), number(s.Elo.High)}
		if c := s.Checkpoint; c == nil {
			row = append(row, "", "", "", "")
		} else {
			row = append(row, c.Run, strconv.Itoa(c.Generation), strconv.Itoa(c.Games), strconv.FormatFloat(c.CPUHours, 'g', 6, 64))
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// number formats a rating with one digit after the point, or as "" if it is unknown.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// String returns a table of candidates and references, from strong to weak, the differences
// between candidates, and the forfeited games.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: Elo above %s, from games with %d random actions at the start\n\n", r.Game, r.Anchor, r.Opening)
	players := slices.Clone(r.Players)
	slices.SortStableFunc(players, func(x, y Standing) int { return cmp.Compare(middle(y.Elo), middle(x.Elo)) })
	width := len("player")
	for _, s := range players {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
	signed := func(x float64) string { return decimal.Signed(x, 0) }
	marked := r.Players[0].Candidate
	row := func(mark, name, elo, own, games, interval string) {
		if marked {
			b.WriteString(mark + " ")
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s %6s %6s %6s  %s", width, name, elo, own, games, interval), " ") + "\n")
	}
	row(" ", "player", "Elo", "error", "games", "95% interval")
	for _, s := range players {
		mark, elo, own := " ", "", ""
		if s.Candidate {
			mark = ">"
		}
		if s.Error != nil {
			elo, own = signed(s.Elo.Value), fmt.Sprintf("±%.0f", *s.Error)
		}
		if s.Name == r.Anchor {
			row(mark, s.Name, "0", "", strconv.Itoa(s.Games), "anchor")
			continue
		}
		row(mark, s.Name, elo, own, strconv.Itoa(s.Games), s.Elo.Bounds(signed))
	}
	for i, d := range r.differences {
		if i == 0 {
			b.WriteString("\n")
		}
		value := ""
		if !math.IsNaN(d.elo.Value) {
			value = signed(d.elo.Value) + ", 95% interval "
		}
		fmt.Fprintf(&b, "%s above %s: %s%s\n", d.a, d.b, value, d.elo.Bounds(signed))
	}
	forfeits := arena.Forfeits{}
	for _, m := range r.played {
		forfeits.Add(m.records, r.Players[m.a].Name, r.Players[m.b].Name)
	}
	if len(forfeits) > 0 {
		b.WriteString("\n" + forfeits.String())
	}
	return b.String()
}

// middle returns the value by which the table is sorted.
func middle(x arena.Interval) float64 {
	switch {
	case !math.IsNaN(x.Value):
		return x.Value
	case math.IsInf(x.High, 1):
		return x.Low
	}
	return x.High
}
