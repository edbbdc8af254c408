package telemetry

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tiro/rundir"
)

// Value is a number that describes a generation.
type Value struct {
	Tag string // such as "validation loss/policy"
	X   float64
}

// Values returns the values of a generation, always in the same order. Unknown values, such as
// times on a machine without a clock, are left out.
func Values(m *rundir.Metrics) (all []Value) {
	add := func(tag string, x float64) { all = append(all, Value{tag, x}) }
	known := func(tag string, x float64) {
		if x != 0 {
			add(tag, x)
		}
	}
	add("run/generation", float64(m.Generation))
	add("run/samples", float64(m.TotalSamples))
	add("run/steps", float64(m.TotalSteps))
	add("run/window", float64(m.Window))
	for _, l := range []struct {
		name string
		of   *rundir.Losses
	}{{"validation loss/", &m.ValidationLoss}, {"training loss/", &m.TrainingLoss}} {
		known(l.name+"policy", l.of.PolicyKL)
		known(l.name+"outcome", l.of.Outcome)
		known(l.name+"ownership", l.of.Ownership)
		known(l.name+"score", l.of.Score)
	}
	known("validation loss/baseline", m.BaselineLoss)
	if m.Steps > 0 {
		add("learner/learning rate", m.LearningRate)
		add("learner/gradient norm", m.GradNorm)
		add("learner/sample reuse", m.SampleReuse)
	}
	add("self-play/games", float64(m.Games))
	add("self-play/mean plies", m.MeanPlies)
	for seat, n := range m.Wins {
		add("self-play/won by seat/"+strconv.Itoa(seat), float64(n))
	}
	add("self-play/drawn", float64(m.Draws))
	for _, rule := range slices.Sorted(maps.Keys(m.Endings)) {
		add("self-play/ended by/"+rule, float64(m.Endings[rule]))
	}
	add("search/policy divergence", m.SearchKL)
	add("search/policy entropy", m.TargetEntropy)
	add("search/simulations", float64(m.Simulations))
	for _, d := range m.Duels {
		opponent := d.Opponent
		if strings.HasPrefix(opponent, "generation ") && opponent != "generation 0" {
			opponent = "earlier checkpoint" // one name for all earlier checkpoints
		}
		add("duel score/"+opponent, d.Points/float64(max(1, d.Games)))
	}
	if r := m.Rating; r != nil {
		add("rating/Elo", r.Elo)
		add("rating/error", r.Error)
	}
	if x := m.Machine; x != nil {
		known("seconds/all", x.Seconds)
		known("seconds/self-play", x.SelfplaySeconds)
		known("seconds/learn", x.LearnSeconds)
		known("seconds/duels", x.DuelSeconds)
		known("machine/CPU seconds", x.CPUSeconds)
		known("machine/evaluations per second", x.EvaluationsPerSecond)
		known("machine/disk bytes", float64(x.Disk))
		known("machine/resident bytes", float64(x.Resident))
		for _, p := range x.Players {
			add("players/games/"+p.Name, float64(p.Games))
			add("players/CPU seconds/"+p.Name, p.CPUSeconds)
		}
	}
	return all
}
