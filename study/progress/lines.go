package progress

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tiro/internal/decimal"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/chart"
)

// Row is a line about the run: what it is about, words, and the values until now if it has
// a curve.
type Row struct {
	Label  string
	Texts  []string // from long to short
	Values []float64
}

// Rows returns what a terminal shows of the run; nothing before its first generation.
func (r *Run) Rows() (all []Row) {
	m := r.Newest()
	if m == nil {
		return nil
	}
	add := func(label string, c chart.Chart, texts ...string) {
		row := Row{Label: label, Texts: texts}
		if len(c.Series) > 0 {
			for _, d := range c.Series[0].Dots {
				row.Values = append(row.Values, d.Y)
			}
		}
		all = append(all, row)
	}
	if rated := r.Rated(); rated != nil {
		elo := elo(rated.Rating)
		add("rating", r.Rating(), elo+" above generation 0", elo)
	}
	if loss := m.ValidationLoss; loss.Outcome > 0 {
		add("policy", r.Policy(), fmt.Sprintf("%.2f, loss on new games", loss.PolicyKL), fmt.Sprintf("%.2f", loss.PolicyKL))
		outcome := fmt.Sprintf("%.2f of %.2f", loss.Outcome, m.BaselineLoss)
		add("outcome", r.Outcome(), outcome+" of a constant guess", outcome)
	}
	games := fmt.Sprintf("%s, %.0f plies", results(m), m.MeanPlies)
	if each := r.Each(); each > 0 {
		games += ", " + Duration(each) + " a generation"
	}
	add("games", chart.Chart{}, games, results(m))
	if found := r.Findings(); len(found) > 0 {
		add("warning", chart.Chart{}, found[0].Name+": "+found[0].Text)
	}
	return all
}

// elo returns a rating in words.
func elo(r *rundir.Rating) string {
	return fmt.Sprintf("%s ±%.0f Elo", decimal.Signed(r.Elo, 0), r.Error)
}

// results returns how many games of a generation each seat won, as in "won 10/6 drawn 2".
func results(m *rundir.Metrics) string {
	won := make([]string, len(m.Wins))
	for seat, wins := range m.Wins {
		won[seat] = strconv.Itoa(wins)
	}
	return fmt.Sprintf("won %s drawn %d", strings.Join(won, "/"), m.Draws)
}

// Heading returns how far the run is: the generation under way, or the newest one if the
// training is over.
func (r *Run) Heading(over bool) string {
	number, target := r.Generation(), r.State.Generations
	if !over && (target == 0 || number < target) {
		number++
	}
	if target > 0 {
		return fmt.Sprintf("generation %d of %d", number, target)
	}
	return fmt.Sprintf("generation %d", number)
}

// Line returns a line about the newest generation. The losses are those on new games: unlike
// those on the samples learned from they show progress, the outcome's beside that of a
// constant guess.
func (r *Run) Line(now time.Time) string {
	m, took := r.Newest(), ""
	if m.Machine != nil {
		took = fmt.Sprintf(" (%s)", Duration(seconds(m.Machine.Seconds)))
	}
	text := fmt.Sprintf("generation %d%s: %s, policy %.2f, outcome %.2f of %.2f",
		m.Generation, took, results(m), m.ValidationLoss.PolicyKL, m.ValidationLoss.Outcome, m.BaselineLoss)
	if left := r.Left(now); left > 0 {
		text += ", " + Duration(left) + " left"
	}
	return text
}

// Duels returns a line about the duels of the newest generation, if it had any. The interval
// is left out where it only says that everything was won or lost.
func (r *Run) Duels() string {
	m := r.Newest()
	if m.Duels == nil {
		return ""
	}
	results := make([]string, len(m.Duels))
	for i, d := range m.Duels {
		results[i] = fmt.Sprintf("%v of %d against %s", d.Points, d.Games, d.Opponent)
		if d.Points > 0 && d.Points < float64(d.Games) {
			results[i] += fmt.Sprintf(" (%.0f to %.0f%%)", 100*d.Low, 100*d.High)
		}
	}
	text := fmt.Sprintf("generation %d: %s", m.Generation, strings.Join(results, ", "))
	if m.Rating != nil {
		text += "; rating " + elo(m.Rating) + " above generation 0"
	}
	if seats := len(m.Wins); seats > 2 {
		text += fmt.Sprintf("; equal players have 1 of %d", seats)
	}
	return text
}

// Introduction returns what a new run is about to do, which continues the last of the
// origins.
func (r *Run) Introduction(origins []card.Origin) (all []string) {
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	c, from := &r.Config, "random weights, which know nothing"
	if n := len(origins); n > 0 {
		from = fmt.Sprintf("the network of generation %d of %s", origins[n-1].Generation, origins[n-1].Game)
	}
	say("learning %s from %s", r.Game.Spec().Name, from)
	later := ""
	if most := c.MaxGames(); most > c.Games(1) {
		later = fmt.Sprintf(", later up to %d", most)
	}
	say("a generation is %d games against itself%s, then learning, then a checkpoint", c.Games(1), later)
	if c.Duels.Share > 0 {
		every := "generation"
		if c.Duels.Every > 1 {
			every = fmt.Sprintf("%d generations", c.Duels.Every)
		}
		say("every %s: duels against %s and its own past", every, c.Duels.Anchor)
	}
	if model, err := bundled.Find(r.Game.Spec().Name); err == nil && len(origins) == 0 {
		if p := recipe.Precedent(model.Card, c); p != nil {
			say("trained like this, the bundled model was %s Elo above %s at generation %d", p.Elo, model.Card.Rated.Anchor, p.Generation)
		}
	}
	return all
}

// Explanation returns, after the first generation, what its line means and what comes next.
func (r *Run) Explanation() []string {
	all := []string{"won and drawn count its own games, by seat; losses are on new games: policy is how far the network is from what its searches find, and outcome should fall below the second number, that of a constant guess"}
	every, target := r.Config.Duels.Every, r.State.Generations
	if each := r.Each(); each > 0 && r.Config.Duels.Share > 0 && every > 1 && (target == 0 || target >= every) {
		all = append(all, fmt.Sprintf("first duels after generation %d, in about %s", every, Duration(time.Duration(every-1)*each)))
	}
	return all
}
