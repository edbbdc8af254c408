package telemetry

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tiro/rundir"
)

// Value is one number of a generation.
type Value struct {
	Name  string  // for Prometheus, such as "tiro_validation_loss_nats"
	Label string  // name of the label that tells the values of a name apart; empty: there is one value
	Case  string  // the value of the label, such as "policy"
	Tag   string  // for TensorBoard, such as "validation loss/policy"
	X     float64 // in the unit of Name
}

// series is what is known of all values of a name.
type series struct {
	name  string // without prefix
	kind  string // gauge, or counter of what only grows
	help  string
	tag   string // for TensorBoard: the group, or all of it for a series without a label
	label string
	of    func(m *rundir.Metrics) []point
}

// point is a value of a series.
type point struct {
	which string // the value of the label
	x     float64
}

const (
	prefix  = "tiro_"
	gauge   = "gauge"
	counter = "counter"
)

// Values returns the numbers of a generation, always in the same order. Numbers that
// are not known, such as those of a machine without a clock, are left out.
func Values(m *rundir.Metrics) (values []Value) {
	for i := range all {
		s := &all[i]
		for _, p := range s.of(m) {
			v := Value{Name: prefix + s.name, Tag: s.tag, X: p.x}
			if s.label != "" {
				v.Label, v.Case, v.Tag = s.label, p.which, s.tag+"/"+p.which
			}
			values = append(values, v)
		}
	}
	return values
}

// all are the series in the order in which they are shown.
var all = []series{
	{"generation", gauge, "Newest complete generation.", "run/generation", "", one(func(m *rundir.Metrics) float64 { return float64(m.Generation) })},
	{"samples_total", counter, "Samples that self-play has produced.", "run/samples", "", one(func(m *rundir.Metrics) float64 { return float64(m.TotalSamples) })},
	{"steps_total", counter, "Steps of the optimizer.", "run/steps", "", one(func(m *rundir.Metrics) float64 { return float64(m.TotalSteps) })},
	{"window_samples", gauge, "Samples in the replay buffer.", "run/window", "", one(func(m *rundir.Metrics) float64 { return float64(m.Window) })},
	{"validation_loss_nats", gauge, "Loss on the newest games, before learning from them. Baseline: outcome loss of a constant prediction.", "validation loss", "head", validation},
	{"training_loss_nats", gauge, "Loss on the samples learned from, mean over the generation's steps.", "training loss", "head", training},
	{"learning_rate", gauge, "Learning rate of the last step.", "learner/learning rate", "", learned(func(m *rundir.Metrics) float64 { return m.LearningRate })},
	{"gradient_norm", gauge, "Norm of the gradient, mean over the generation's steps.", "learner/gradient norm", "", learned(func(m *rundir.Metrics) float64 { return m.GradNorm })},
	{"sample_reuse", gauge, "Samples drawn for each new sample.", "learner/sample reuse", "", learned(func(m *rundir.Metrics) float64 { return m.SampleReuse })},
	{"games", gauge, "Games of the generation.", "self-play/games", "", one(func(m *rundir.Metrics) float64 { return float64(m.Games) })},
	{"game_plies_mean", gauge, "Mean length of the generation's games, in plies.", "self-play/mean plies", "", one(func(m *rundir.Metrics) float64 { return m.MeanPlies })},
	{"games_won", gauge, "Games of the generation that a seat alone has won.", "self-play/won by seat", "seat", won},
	{"games_drawn", gauge, "Games of the generation that nobody has won alone.", "self-play/drawn", "", one(func(m *rundir.Metrics) float64 { return float64(m.Draws) })},
	{"games_ended", gauge, "Games of the generation by the rule that ended them.", "self-play/ended by", "rule", endings},
	{"search_policy_divergence_nats", gauge, "Divergence of the search's policy from the network's.", "search/policy divergence", "", one(func(m *rundir.Metrics) float64 { return m.SearchKL })},
	{"search_policy_entropy_nats", gauge, "Entropy of the search's policy.", "search/policy entropy", "", one(func(m *rundir.Metrics) float64 { return m.TargetEntropy })},
	{"search_simulations", gauge, "Simulations of a full search.", "search/simulations", "", one(func(m *rundir.Metrics) float64 { return float64(m.Simulations) })},
	{"duel_score", gauge, "Points a game of the newest duels, from 0 to 1.", "duel score", "opponent", duels},
	{"rating_elo", gauge, "Rating by the newest duels, in Elo above generation 0.", "rating/Elo", "", rating(func(r *rundir.Rating) float64 { return r.Elo })},
	{"rating_error_elo", gauge, "Half the width of the rating's 95% interval.", "rating/error", "", rating(func(r *rundir.Rating) float64 { return r.Error })},
	{"generation_seconds", gauge, "Time that the generation took, and parts of it.", "seconds", "part", times},
	{"generation_cpu_seconds", gauge, "CPU time that the generation took.", "machine/CPU seconds", "", machine(func(m *rundir.Machine) float64 { return m.CPUSeconds })},
	{"evaluations_per_second", gauge, "Positions a second that the network evaluates in self-play.", "machine/evaluations per second", "", machine(func(m *rundir.Machine) float64 { return m.EvaluationsPerSecond })},
	{"player_games", gauge, "Games of the generation by who played them, on several machines.", "players/games", "player", players(func(p *rundir.Player) float64 { return float64(p.Games) })},
	{"player_evaluations", gauge, "Positions that each player's network evaluated.", "players/evaluations", "player", players(func(p *rundir.Player) float64 { return float64(p.Evaluations) })},
	{"player_cpu_seconds", gauge, "CPU time that each player took.", "players/CPU seconds", "player", players(func(p *rundir.Player) float64 { return p.CPUSeconds })},
	{"player_silent_seconds", gauge, "Time since each player was last heard of.", "players/silent seconds", "player", players(func(p *rundir.Player) float64 { return p.Silent })},
	{"disk_bytes", gauge, "Disk that checkpoints and games take.", "machine/disk bytes", "", machine(func(m *rundir.Machine) float64 { return float64(m.Disk) })},
	{"resident_bytes", gauge, "Memory of the program.", "machine/resident bytes", "", machine(func(m *rundir.Machine) float64 { return float64(m.Resident) })},
}

// one is a series of one value.
func one(x func(m *rundir.Metrics) float64) func(*rundir.Metrics) []point {
	return func(m *rundir.Metrics) []point { return []point{{x: x(m)}} }
}

// learned is a series of one value that only a generation with steps has.
func learned(x func(m *rundir.Metrics) float64) func(*rundir.Metrics) []point {
	return func(m *rundir.Metrics) []point {
		if m.Steps == 0 {
			return nil
		}
		return []point{{x: x(m)}}
	}
}

// machine is a series of one value that is not known if it is 0.
func machine(x func(m *rundir.Machine) float64) func(*rundir.Metrics) []point {
	return func(m *rundir.Metrics) []point {
		if m.Machine == nil {
			return nil
		}
		return known(point{x: x(m.Machine)})
	}
}

// players is a series of a value for each program that played games.
func players(x func(p *rundir.Player) float64) func(*rundir.Metrics) []point {
	return func(m *rundir.Metrics) (points []point) {
		if m.Machine == nil {
			return nil
		}
		for i := range m.Machine.Players {
			points = append(points, point{m.Machine.Players[i].Name, x(&m.Machine.Players[i])})
		}
		return points
	}
}

// rating is a series of one value of generations with duels.
func rating(x func(r *rundir.Rating) float64) func(*rundir.Metrics) []point {
	return func(m *rundir.Metrics) []point {
		if m.Rating == nil {
			return nil
		}
		return []point{{x: x(m.Rating)}}
	}
}

// known returns the points that are not 0.
func known(points ...point) []point {
	return slices.DeleteFunc(points, func(p point) bool { return p.x == 0 })
}

func validation(m *rundir.Metrics) []point {
	l := &m.ValidationLoss
	return known(point{"policy", l.PolicyKL}, point{"outcome", l.Outcome}, point{"baseline", m.BaselineLoss},
		point{"ownership", l.Ownership}, point{"score", l.Score})
}

func training(m *rundir.Metrics) []point {
	l := &m.TrainingLoss
	return known(point{"policy", l.PolicyKL}, point{"outcome", l.Outcome}, point{"ownership", l.Ownership}, point{"score", l.Score})
}

func won(m *rundir.Metrics) (points []point) {
	for seat, n := range m.Wins {
		points = append(points, point{strconv.Itoa(seat), float64(n)})
	}
	return points
}

func endings(m *rundir.Metrics) (points []point) {
	for _, rule := range slices.Sorted(maps.Keys(m.Endings)) {
		points = append(points, point{rule, float64(m.Endings[rule])})
	}
	return points
}

// duels gives earlier checkpoints, whose number grows during a run, one name.
func duels(m *rundir.Metrics) (points []point) {
	for _, d := range m.Duels {
		opponent := d.Opponent
		if strings.HasPrefix(opponent, "generation ") && opponent != "generation 0" {
			opponent = "earlier checkpoint"
		}
		points = append(points, point{opponent, d.Points / float64(max(1, d.Games))})
	}
	return points
}

func times(m *rundir.Metrics) []point {
	if m.Machine == nil {
		return nil
	}
	return known(point{"all", m.Machine.Seconds}, point{"self-play", m.Machine.SelfplaySeconds},
		point{"learn", m.Machine.LearnSeconds}, point{"duels", m.Machine.DuelSeconds})
}
