package page

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// Curves are the charts of a run by generation.
type Curves struct {
	Rating          Chart // by duels
	Policy, Outcome Chart // losses
	Speed           Chart // games a second
	Lengths         Chart // of games
	Results         Chart
}

// NewCurves returns the charts of generations of a game, oldest first.
func NewCurves(game env.Game, metrics []rundir.Metrics) Curves {
	var c Curves
	c.losses(metrics)
	c.games(game, metrics)
	var elo, speed []dot
	for _, m := range metrics {
		x := float64(m.Generation)
		if r := m.Rating; r != nil {
			elo = append(elo, dot{x: x, y: r.Elo, low: r.Elo - r.Error, high: r.Elo + r.Error})
		}
		if m.Machine != nil && m.Machine.GamesPerSecond > 0 {
			speed = append(speed, dot{x: x, y: m.Machine.GamesPerSecond})
		}
	}
	c.Rating = Chart{
		label: "rating by generation", x: "generation", digits: 0,
		series: []series{{name: "Elo above generation 0", dots: thin(elo), band: true}},
	}
	c.Speed = Chart{
		label: "games a second by generation", x: "generation", fromZero: true, digits: 2,
		series: []series{{name: "games a second", dots: thin(speed)}},
	}
	return c
}

// losses fills in the charts of learning.
func (c *Curves) losses(metrics []rundir.Metrics) {
	var policy, outcome, constant []dot
	for _, m := range metrics {
		x := float64(m.Generation)
		if m.Steps > 0 {
			policy = append(policy, dot{x: x, y: m.ValidationLoss.PolicyKL})
			outcome = append(outcome, dot{x: x, y: m.ValidationLoss.Outcome})
			if m.BaselineLoss > 0 {
				constant = append(constant, dot{x: x, y: m.BaselineLoss})
			}
		}
	}
	c.Policy = Chart{
		label: "policy loss by generation", x: "generation", fromZero: true, digits: 3,
		series: []series{{name: "policy KL on new games, nats", dots: thin(policy)}},
	}
	c.Outcome = Chart{
		label: "outcome loss by generation", x: "generation", digits: 3,
		series: []series{{name: "outcome loss on new games, nats", dots: thin(outcome)}, {name: "of a constant guess", dots: thin(constant)}},
	}
}

// games fills in how long games are and who wins.
func (c *Curves) games(game env.Game, metrics []rundir.Metrics) {
	var short, mean, long []dot
	seats := game.Spec().Players
	results := make([][]dot, seats+1)
	for _, m := range metrics {
		x, n := float64(m.Generation), float64(max(1, m.Games))
		short = append(short, dot{x: x, y: float64(m.Shortest)})
		mean = append(mean, dot{x: x, y: m.MeanPlies})
		long = append(long, dot{x: x, y: float64(m.Longest)})
		for seat := range m.Wins[:min(seats, len(m.Wins))] {
			results[seat] = append(results[seat], dot{x: x, y: 100 * float64(m.Wins[seat]) / n})
		}
		results[seats] = append(results[seats], dot{x: x, y: 100 * float64(m.Draws) / n})
	}
	c.Lengths = Chart{
		label: "plies of games by generation", x: "generation", fromZero: true, digits: 1,
		series: []series{{name: "mean plies", dots: thin(mean)}, {name: "shortest", dots: thin(short)}, {name: "longest", dots: thin(long)}},
	}
	c.Results = Chart{label: "who wins, by generation", x: "generation", fromZero: true, digits: 0}
	for i, dots := range results {
		name := "% drawn or shared"
		if i < seats {
			name = fmt.Sprintf("%% won by %s", env.SeatName(game, env.Player(i)))
		}
		c.Results.series = append(c.Results.series, series{name: name, dots: thin(dots)})
	}
}

// Words says in sentences how a run stands by its generations, oldest first; nothing of
// a run that has none.
func Words(metrics []rundir.Metrics) (all []string) {
	if len(metrics) == 0 {
		return nil
	}
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	games, positions := 0, 0
	var rated *rundir.Metrics
	for i := range metrics {
		games += metrics[i].Games
		positions += metrics[i].Plies
		if metrics[i].Rating != nil {
			rated = &metrics[i]
		}
	}
	m := metrics[len(metrics)-1]
	noun := "generations"
	if m.Generation == 1 {
		noun = "generation"
	}
	say("The run has completed %d %s: %d games with %d positions, and %d training steps.", m.Generation, noun, games, positions, m.TotalSteps)
	if m.BaselineLoss > 0 {
		gained := 1 - m.ValidationLoss.Outcome/m.BaselineLoss
		switch {
		case gained > 0.02:
			say("On new games the network predicts the outcome better than a constant guess: its loss is %.3f, the guess's %.3f, which is %.0f%% less.", m.ValidationLoss.Outcome, m.BaselineLoss, 100*gained)
		default:
			say("On new games the network does not predict the outcome better than a constant guess yet: its loss is %.3f, the guess's %.3f.", m.ValidationLoss.Outcome, m.BaselineLoss)
		}
	}
	if m.SearchKL > 0 {
		say("The searches change the network's policy by %.2f nats; that is what it learns from.", m.SearchKL)
	}
	if rated != nil {
		say("By its duels, generation %d is rated %+.0f ± %.0f Elo above generation 0.", rated.Generation, rated.Rating.Elo, rated.Rating.Error)
	}
	if m.Machine != nil && len(m.Machine.Players) > 0 {
		players := make([]string, len(m.Machine.Players))
		for i, p := range m.Machine.Players {
			players[i] = fmt.Sprintf("%s %d (%d evaluations, %.0f s of CPU time, heard of %.0f s before the end)", p.Name, p.Games, p.Evaluations, p.CPUSeconds, p.Silent)
		}
		say("Who played how many games of generation %d: %s.", m.Generation, strings.Join(players, "; "))
	}
	return all
}

// Findings returns what looks wrong with a run, and what may help.
func Findings(c *recipe.Config, metrics []rundir.Metrics) []train.Fault {
	return append(train.DiagnoseConfig(c), train.Diagnose(c, metrics)...)
}

// maxDots is how many points a line has at most.
const maxDots = 150

// thin returns dots evenly, the last one included, if there are many.
func thin(dots []dot) []dot {
	if len(dots) <= maxDots {
		return dots
	}
	every := (len(dots) + maxDots - 1) / maxDots
	var kept []dot
	for i, d := range dots {
		if (len(dots)-1-i)%every == 0 {
			kept = append(kept, d)
		}
	}
	return kept
}
