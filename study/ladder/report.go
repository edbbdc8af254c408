package ladder

import (
	"cmp"
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
	"tiro/format"
)

// reportHeader is the header of a report's JSON.
var reportHeader = format.Header{Format: 1, What: "tiro ratings"}

// Report is the ratings of candidates and of the ladder's references, on one scale.
// Its fields are those of its JSON.
type Report struct {
	format.Header
	Game string `json:"game"`
	Conditions
	Ladder string `json:"ladder"` // SHA-256 of ladder.json
	Anchor string `json:"anchor"` // the reference whose rating is 0

	Players    []Standing       `json:"players"`    // candidates as they were named, then references from strong to weak
	Covariance [][]float64      `json:"covariance"` // of Elo, by player; 0 for the anchor
	Seats      []arena.Interval `json:"seats"`      // by seat, its advantage in Elo over the mean seat
	Ties       []float64        `json:"ties"`       // by number of winners from 1, how often equals end a game so

	differences []difference
}

// Standing is the rating of a player.
type Standing struct {
	Player
	Candidate bool           `json:"candidate"` // one of those that were to be rated
	Reference bool           `json:"reference"` // a player of the ladder
	Elo       arena.Interval `json:"elo"`       // above the anchor, with the errors of the ladder; without a value if only a bound is known
	Error     *float64       `json:"error"`     // half the 95% interval, the ratings of other references taken as known; null if only a bound is known
	Games     int            `json:"games"`
	Points    float64        `json:"points"` // 1 for a win, 1/k for one that k seats share

	Checkpoint *Checkpoint `json:"checkpoint,omitempty"` // of a run, if the player is one and that is known
}

// Checkpoint says which checkpoint of a run a candidate is, and what it took.
type Checkpoint struct {
	Run        string  `json:"run"` // as it was named
	Generation int     `json:"generation"`
	Games      int     `json:"games"`     // of self-play, up to the checkpoint
	CPUHours   float64 `json:"cpu_hours"` // of training, up to the checkpoint; 0 if that is not known of all generations
}

// difference is how much higher candidate a is rated than candidate b.
type difference struct {
	a, b string
	elo  arena.Interval
}

// report fits all matches and returns the report.
func (r *rater) report() (Report, error) {
	l := r.Ladder
	report := Report{Header: reportHeader, Game: l.Game, Conditions: r.conditions, Anchor: l.Anchor}
	var err error
	if report.Ladder, err = l.checksum(); err != nil {
		return report, err
	}
	fit, err := r.fit(everyRound)
	if err != nil {
		return report, err
	}
	var at []int // by player of the report, its place in the fit
	for i, c := range r.Candidates {
		place := l.Reference(c.Player)
		if place < 0 {
			place = fit.at[len(l.Players)+r.number[i]]
		}
		at = append(at, place)
		s := l.standing(fit.Ratings, c.Player, place)
		s.Candidate, s.Checkpoint = true, c.Checkpoint
		report.Players = append(report.Players, s)
	}
	report.compare(fit.Ratings, at)
	order := l.all()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fit.Elo[b], fit.Elo[a]) })
	for _, i := range order {
		if !slices.Contains(at, i) {
			at = append(at, i)
			report.Players = append(report.Players, l.standing(fit.Ratings, l.Players[i], i))
		}
	}
	for _, a := range at {
		row := make([]float64, len(at))
		for j, b := range at {
			row[j] = fit.Covariance[a][b]
		}
		report.Covariance = append(report.Covariance, row)
	}
	for seat, advantage := range fit.Seats {
		half := fit.SeatErrors[seat]
		report.Seats = append(report.Seats, arena.Interval{Value: advantage, Low: advantage - half, High: advantage + half})
	}
	report.Ties = fit.Ties
	return report, nil
}

// standing returns the standing of a player that is at a place of a fit.
func (l *Ladder) standing(fit *rating.Ratings, p Player, at int) Standing {
	s := Standing{Player: p, Reference: at < len(l.Players), Elo: fit.Interval(at), Games: fit.Games[at], Points: fit.Points[at]}
	if fit.Bounded(at) {
		s.Elo.Value = math.NaN()
		return s
	}
	others := slices.DeleteFunc(l.all(), func(i int) bool { return i == at })
	own := fit.ErrorGiven(at, others)
	s.Error = &own
	return s
}

// maxDifferences is of how many candidates, and one more, the table has differences.
const maxDifferences = 8

// compare fills in the differences between candidates, each and the next weaker one,
// unless there are many.
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
// candidates. Where only a bound is known, elo and error are empty, and so is the
// end of the interval that is not known. The last columns are those of a Checkpoint.
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

// number returns a rating with one digit after the point, or "" if it is unknown.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// String returns a table for people, from strong to weak, with the references among
// the candidates, and the differences between candidates.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: Elo above %s, by games with %d random actions at the start\n\n", r.Game, r.Anchor, r.Opening)
	players := slices.Clone(r.Players)
	slices.SortStableFunc(players, func(x, y Standing) int { return cmp.Compare(middle(y.Elo), middle(x.Elo)) })
	width := len("player")
	for _, s := range players {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
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
			elo, own = fmt.Sprintf("%+.0f", s.Elo.Value), fmt.Sprintf("±%.0f", *s.Error)
		}
		if s.Name == r.Anchor {
			row(mark, s.Name, "0", "", strconv.Itoa(s.Games), "the anchor")
			continue
		}
		row(mark, s.Name, elo, own, strconv.Itoa(s.Games), interval(s.Elo))
	}
	for i, d := range r.differences {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s above %s: %+.0f, 95%% interval %s\n", d.a, d.b, d.elo.Value, interval(d.elo))
	}
	return b.String()
}

// middle returns where a player stands in the table.
func middle(x arena.Interval) float64 {
	switch {
	case !math.IsNaN(x.Value):
		return x.Value
	case math.IsInf(x.High, 1):
		return x.Low
	}
	return x.High
}

// interval returns an interval of Elo for people.
func interval(x arena.Interval) string {
	switch {
	case math.IsInf(x.Low, -1) && math.IsInf(x.High, 1):
		return "unknown"
	case math.IsInf(x.High, 1):
		return fmt.Sprintf("at least %+.0f", x.Low)
	case math.IsInf(x.Low, -1):
		return fmt.Sprintf("at most %+.0f", x.High)
	}
	return fmt.Sprintf("%+.0f to %+.0f", x.Low, x.High)
}
