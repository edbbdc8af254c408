package progress

import (
	"tiro/env"
	"tiro/rundir"
	"tiro/study/chart"
)

// Figure is a chart with its title and a note to print below it, which may be empty.
type Figure struct {
	Title string
	Chart chart.Chart
	Note  string
}

// Together returns the charts of the first of several runs, with one line for each run: the
// first line of its own chart, under the run's name. The title names the line if there were
// others.
func Together(names []string, runs [][]Figure) (all []Figure) {
	for _, f := range runs[0] {
		if len(f.Chart.Series) > 1 {
			f.Title += ": " + f.Chart.Series[0].Name
		}
		var lines []chart.Series
		for i, figures := range runs {
			for _, g := range figures {
				if g.Chart.Label == f.Chart.Label {
					line := g.Chart.Series[0]
					line.Name = names[i]
					lines = append(lines, line)
				}
			}
		}
		f.Chart.Series = lines
		all = append(all, f)
	}
	return all
}

// Figures returns the charts of the run that have at least one point.
func (r *Run) Figures() (all []Figure) {
	if r.Game == nil {
		return nil
	}
	for _, f := range []Figure{
		{"Rating", r.Rating(), "From duels with generation 0 and an earlier network. The band is the 95% error."},
		{"Outcome loss", r.Outcome(), "It should stay below the baseline, the loss of always predicting the average result."},
		{"Policy loss", r.Policy(), "The network's distance from the moves that its searches chose. It need not fall, because the searches improve as well."},
		{"Games per second", r.speed(), ""},
		{"Results", r.results(), ""},
		{"Game lengths", r.lengths(), ""},
	} {
		if !f.Chart.Empty() {
			all = append(all, f)
		}
	}
	return all
}

// series returns a series of the values of all generations for which of returns ok.
func (r *Run) series(name string, of func(m *rundir.Metrics) (value float64, ok bool)) chart.Series {
	s := chart.Series{Name: name}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if y, ok := of(m); ok {
			s.Dots = append(s.Dots, chart.Dot{X: float64(m.Generation), Y: y})
		}
	}
	return s
}

// byGeneration returns a chart of series over generations.
func byGeneration(label string, fromZero bool, digits int, series ...chart.Series) chart.Chart {
	return chart.Chart{Label: label + " by generation", X: "generation", FromZero: fromZero, Digits: digits, Series: series}
}

// Rating returns the chart of the ratings from duels.
func (r *Run) Rating() chart.Chart {
	s := chart.Series{Name: "Elo above generation 0", Band: true}
	for _, m := range r.Metrics {
		if e := m.Rating; e != nil {
			s.Dots = append(s.Dots, chart.Dot{X: float64(m.Generation), Y: e.Elo, Low: e.Elo - e.Error, High: e.Elo + e.Error})
		}
	}
	return byGeneration("rating", false, 0, s)
}

// Policy returns the chart of the policy loss on new games.
func (r *Run) Policy() chart.Chart {
	return byGeneration("policy loss", true, 3, r.series("policy KL on new games, nats", func(m *rundir.Metrics) (float64, bool) {
		return m.ValidationLoss.PolicyKL, m.Steps > 0
	}))
}

// Outcome returns the chart of the outcome loss on new games.
func (r *Run) Outcome() chart.Chart {
	return byGeneration("outcome loss", false, 3,
		r.series("outcome loss on new games, nats", func(m *rundir.Metrics) (float64, bool) { return m.ValidationLoss.Outcome, m.Steps > 0 }),
		r.series("baseline: always the average result", func(m *rundir.Metrics) (float64, bool) { return m.BaselineLoss, m.Steps > 0 && m.BaselineLoss > 0 }),
	)
}

func (r *Run) speed() chart.Chart {
	return byGeneration("games per second", true, 2, r.series("games per second", func(m *rundir.Metrics) (float64, bool) {
		if m.Machine == nil {
			return 0, false
		}
		return m.Machine.GamesPerSecond, m.Machine.GamesPerSecond > 0
	}))
}

func (r *Run) lengths() chart.Chart {
	return byGeneration("plies of games", true, 1,
		r.series("mean plies", func(m *rundir.Metrics) (float64, bool) { return m.MeanPlies, true }),
		r.series("shortest", func(m *rundir.Metrics) (float64, bool) { return float64(m.Shortest), true }),
		r.series("longest", func(m *rundir.Metrics) (float64, bool) { return float64(m.Longest), true }),
	)
}

func (r *Run) results() chart.Chart {
	percent := func(games int, m *rundir.Metrics) float64 { return 100 * float64(games) / float64(max(1, m.Games)) }
	var all []chart.Series
	for seat := range r.Game.Spec().Players {
		name := "% won by " + env.SeatName(r.Game, env.Player(seat))
		all = append(all, r.series(name, func(m *rundir.Metrics) (float64, bool) {
			if seat >= len(m.Wins) {
				return 0, false
			}
			return percent(m.Wins[seat], m), true
		}))
	}
	all = append(all, r.series("% drawn or shared", func(m *rundir.Metrics) (float64, bool) { return percent(m.Draws, m), true }))
	return byGeneration("results", true, 0, all...)
}
