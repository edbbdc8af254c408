// Package progress describes the state of a training run. The terminal, the watch page and
// the report all show its texts, charts and estimates.
//
//	run := progress.Run{Game: game, Config: config, Metrics: metrics, State: state}
//	for _, text := range append(run.Words(), …) {
//	for _, figure := range run.Figures() {
//
// Words returns sentences, Findings the diagnosed faults, and Figures charts. Each and Left
// estimate the duration of a generation and of the rest of the run. A State is the phase and
// the limits that a training run has logged. A Replay lets a page step through games.
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

// Run is a training run, as read from its folder.
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

// Rated returns the newest generation with a rating from duels, nil if there is none.
func (r *Run) Rated() *rundir.Metrics {
	for i := len(r.Metrics) - 1; i >= 0; i-- {
		if r.Metrics[i].Rating != nil {
			return &r.Metrics[i]
		}
	}
	return nil
}

// Findings returns the faults that the diagnosis of the run finds, each with a remedy.
func (r *Run) Findings() []train.Fault {
	return append(train.DiagnoseConfig(&r.Config), train.Diagnose(&r.Config, r.Metrics)...)
}

// Words describes the run in sentences. It returns nil before the first generation.
func (r *Run) Words() (all []string) {
	m := r.Newest()
	if m == nil {
		return nil
	}
	add := func(format string, values ...any) { all = append(all, fmt.Sprintf(format, values...)) }
	games, positions := 0, 0
	for i := range r.Metrics {
		games += r.Metrics[i].Games
		positions += r.Metrics[i].Plies
	}
	add("The run has completed %s: %d games with %d positions, and %d training steps.", env.Plural(m.Generation, "generation"), games, positions, m.TotalSteps)
	if missing := m.Generation - len(r.Metrics); missing > 0 {
		add("The games, positions and times of %s are not counted, because their lines in metrics.jsonl are lost.", env.Plural(missing, "generation"))
	}
	if m.BaselineLoss > 0 {
		below := "not yet"
		if gained := 1 - m.ValidationLoss.Outcome/m.BaselineLoss; gained > 0.02 {
			below = fmt.Sprintf("which is %.0f%%", 100*gained)
		}
		add("On new games, the network's outcome loss is %.3f, %s below the baseline of %.3f (always predicting the average result).", m.ValidationLoss.Outcome, below, m.BaselineLoss)
	}
	if m.SearchKL > 0 {
		add("Search still improves the network's policy by %.2f nats; near 0 there is little left to learn.", m.SearchKL)
	}
	if rated := r.Rated(); rated != nil {
		add("Duels rate generation %d at %s ± %.0f Elo above generation 0.", rated.Generation, decimal.Signed(rated.Rating.Elo, 0), rated.Rating.Error)
	}
	if m.Machine != nil && len(m.Machine.Players) > 0 {
		players := make([]string, len(m.Machine.Players))
		for i, p := range m.Machine.Players {
			players[i] = fmt.Sprintf("%s %d (%d evaluations, %.0f s of CPU time, last heard from %.0f s before the end)", p.Name, p.Games, p.Evaluations, p.CPUSeconds, p.Silent)
		}
		add("Games of generation %d by worker: %s.", m.Generation, strings.Join(players, "; "))
	}
	return all
}
