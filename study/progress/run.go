// Package progress is how a training run stands: what a terminal, a page and a report show
// of it, computed in one place.
//
//	run := progress.Run{Game: game, Config: config, Metrics: metrics, State: state}
//	for _, text := range append(run.Words(), …) {
//	for _, figure := range run.Figures() {
//
// Words are sentences, Findings are faults, Figures are charts, and Each and Left estimate
// how long a generation and the run will take. State is what a training has
// logged of itself. A Replay is games to be looked at move by move.
package progress

import (
	"fmt"
	"strings"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// Run is what is known of a run.
type Run struct {
	Game    env.Game
	Config  recipe.Config
	Metrics []rundir.Metrics // by generation, oldest first
	State   State
}

// Newest returns the newest generation, nil if there is none.
func (r *Run) Newest() *rundir.Metrics {
	if len(r.Metrics) == 0 {
		return nil
	}
	return &r.Metrics[len(r.Metrics)-1]
}

// Generation returns the number of the newest generation, 0 if there is none.
func (r *Run) Generation() int {
	if m := r.Newest(); m != nil {
		return m.Generation
	}
	return 0
}

// Rated returns the newest generation that has a rating by duels, nil if there is none.
func (r *Run) Rated() *rundir.Metrics {
	for i := len(r.Metrics) - 1; i >= 0; i-- {
		if r.Metrics[i].Rating != nil {
			return &r.Metrics[i]
		}
	}
	return nil
}

// Findings returns what looks wrong with the run, and what may help.
func (r *Run) Findings() []train.Fault {
	return append(train.DiagnoseConfig(&r.Config), train.Diagnose(&r.Config, r.Metrics)...)
}

// Words describes the run in sentences; there are none before its first generation.
func (r *Run) Words() (all []string) {
	m := r.Newest()
	if m == nil {
		return nil
	}
	say := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	games, positions := 0, 0
	for i := range r.Metrics {
		games += r.Metrics[i].Games
		positions += r.Metrics[i].Plies
	}
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
	if rated := r.Rated(); rated != nil {
		say("By its duels, generation %d is rated %s ± %.0f Elo above generation 0.", rated.Generation, decimal.Signed(rated.Rating.Elo, 0), rated.Rating.Error)
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
