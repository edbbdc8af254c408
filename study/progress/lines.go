package progress

import (
	"fmt"
	"strings"
	"time"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/chart"
)

// row is a line of a View about one aspect of the run.
type row struct {
	label  string
	texts  []string  // alternatives, from long to short
	values []float64 // points of the curve, oldest first; empty if there is none
}

// rows returns the lines of a View: the rating, the losses, the games and the first finding.
// It returns nil before the first generation.
func (r *Run) rows() (all []row) {
	m := r.Newest()
	if m == nil {
		return nil
	}
	add := func(label string, c chart.Chart, texts ...string) {
		row := row{label: label, texts: texts}
		if len(c.Series) > 0 {
			for _, d := range c.Series[0].Dots {
				row.values = append(row.values, d.Y)
			}
		}
		all = append(all, row)
	}
	if rated := r.Rated(); rated != nil {
		elo := elo(rated.Rating)
		add("rating", r.Rating(), elo+" above generation 0", elo)
	}
	if loss := m.ValidationLoss; loss.Outcome > 0 {
		add("policy", r.Policy(), fmt.Sprintf("loss %.2f", loss.PolicyKL))
		outcome := fmt.Sprintf("loss %.2f", loss.Outcome)
		add("outcome", r.Outcome(), fmt.Sprintf("%s, baseline %.2f", outcome, m.BaselineLoss), outcome)
	}
	wins := r.wins(m)
	games := fmt.Sprintf("%s; mean length %.0f plies", wins, m.MeanPlies)
	each := games
	if d := r.Each(); d > 0 {
		each += "; " + Duration(d) + " per generation"
	}
	add("games", chart.Chart{}, each, games, wins, fmt.Sprintf("%d, %s", m.Games, r.draws(m)))
	if found := r.Findings(); len(found) > 0 {
		add("warning", chart.Chart{}, found[0].Name+": "+found[0].Text)
	}
	return all
}

// elo formats a rating with its error, as in "+80 ±30 Elo".
func elo(r *rundir.Rating) string {
	return fmt.Sprintf("%s ±%.0f Elo", decimal.Signed(r.Elo, 0), r.Error)
}

// wins returns the results of a generation's games by seat, as in "White won 10, Black 6, 2
// drawn".
func (r *Run) wins(m *rundir.Metrics) string {
	var b strings.Builder
	for seat, wins := range m.Wins {
		verb := ""
		if seat == 0 {
			verb = "won "
		}
		fmt.Fprintf(&b, "%s %s%d, ", env.SeatName(r.Game, env.Player(seat)), verb, wins)
	}
	return b.String() + r.draws(m)
}

// draws returns the number of a generation's games without a single winner. With more than two
// seats, several may share the win.
func (r *Run) draws(m *rundir.Metrics) string {
	if len(m.Wins) > 2 {
		return fmt.Sprintf("%d drawn or shared", m.Draws)
	}
	return fmt.Sprintf("%d drawn", m.Draws)
}

// heading returns the number of the current generation, or of the newest one if the training
// is over, and the target.
func (r *Run) heading(over bool) string {
	number, target := r.Generation(), r.State.Generations
	if !over && (target == 0 || number < target) {
		number++
	}
	if target > 0 {
		return fmt.Sprintf("generation %d of %d", number, target)
	}
	return fmt.Sprintf("generation %d", number)
}

// Line returns a line about the newest generation. It shows the losses on new games, which
// measure progress better than the losses on the training samples do. The baseline of the
// outcome loss is the loss of always predicting the average result.
func (r *Run) Line(now time.Time) string {
	m, took := r.Newest(), ""
	if m.Machine != nil {
		took = fmt.Sprintf(" (%s)", Duration(seconds(m.Machine.Seconds)))
	}
	text := fmt.Sprintf("generation %d%s: %s; policy loss %.2f, outcome loss %.2f (baseline %.2f)",
		m.Generation, took, r.wins(m), m.ValidationLoss.PolicyKL, m.ValidationLoss.Outcome, m.BaselineLoss)
	if left := r.Left(now); left > 0 {
		text += ", " + Duration(left) + " left"
	}
	return text
}

// Duels returns a line about the duels of the newest generation, "" if it had none. It omits
// the interval of an opponent against whom every game was won or lost.
func (r *Run) Duels() string {
	m := r.Newest()
	if m.Duels == nil {
		return ""
	}
	results := make([]string, len(m.Duels))
	for i, d := range m.Duels {
		results[i] = fmt.Sprintf("%v of %d points against %s", d.Points, d.Games, d.Opponent)
		if d.Points > 0 && d.Points < float64(d.Games) {
			results[i] += fmt.Sprintf(" (%.0f to %.0f%%)", 100*d.Low, 100*d.High)
		}
	}
	text := fmt.Sprintf("generation %d: %s", m.Generation, strings.Join(results, ", "))
	if m.Rating != nil {
		text += "; rating " + elo(m.Rating) + " above generation 0"
	}
	if seats := len(m.Wins); seats > 2 {
		text += fmt.Sprintf("; equal players score 1 of %d", seats)
	}
	return text
}

// Introduction returns lines that announce the plan of a new run. The run continues the last of
// the origins, or starts from random weights if there are none.
func (r *Run) Introduction(origins []card.Origin) (all []string) {
	add := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	c, from := &r.Config, "random weights"
	if n := len(origins); n > 0 {
		from = fmt.Sprintf("the network of generation %d of %s", origins[n-1].Generation, origins[n-1].Game)
	}
	add("learning %s from %s", r.Game.Spec().Name, from)
	later := ""
	if most := c.MaxGames(); most > c.Games(1) {
		later = fmt.Sprintf(" (up to %d later)", most)
	}
	add("a generation is %d self-play games%s, a learning phase and a checkpoint", c.Games(1), later)
	if c.Duels.Share > 0 {
		every := "generation"
		if c.Duels.Every > 1 {
			every = fmt.Sprintf("%d generations", c.Duels.Every)
		}
		add("every %s: duels against %s and earlier networks", every, c.Duels.Anchor)
	}
	if model, err := bundled.Find(r.Game.Spec().Name); err == nil && len(origins) == 0 {
		if p := recipe.Precedent(model.Card, c); p != nil {
			add("with these settings, the bundled model reached %s Elo above %s at generation %d", p.Elo, model.Card.Rated.Anchor, p.Generation)
		}
	}
	return all
}

// Explanation returns lines to print after the first generation: the meaning of its figures,
// and when the first duels are due.
func (r *Run) Explanation() []string {
	all := []string{"losses are measured on new games, in nats: the policy loss is the network's distance from the moves that its searches chose; the outcome loss should fall below the baseline, the loss of always predicting the average result"}
	every, target := r.Config.Duels.Every, r.State.Generations
	if each := r.Each(); each > 0 && r.Config.Duels.Share > 0 && every > 1 && (target == 0 || target >= every) {
		all = append(all, fmt.Sprintf("first duels after generation %d, in about %s", every, Duration(time.Duration(every-1)*each)))
	}
	return all
}
