package telemetry

import "tiro/rundir"

// Scalar is a number of a generation.
type Scalar struct {
	Group, Name string // such as "loss", "outcome": letters, digits and low lines
	Help        string
	Value       float64
}

// Scalars returns the numbers of a generation that tools show, in a fixed order. Those
// that are not known are left out.
func Scalars(m *rundir.Metrics) []Scalar {
	games := float64(max(1, m.Games))
	all := []Scalar{
		{"games", "played", "games of self-play of the newest generation", float64(m.Games)},
		{"games", "plies", "mean plies of a game", m.MeanPlies},
		{"games", "drawn", "share of the games that are drawn or shared", float64(m.Draws) / games},
		{"games", "limited", "share of the games that ended for their length", float64(m.LengthLimited) / games},
		{"games", "duplicates", "share of the games that repeat another one", float64(m.Duplicates) / games},
		{"search", "simulations", "simulations of a full search", float64(m.Simulations)},
		{"search", "kl", "divergence of the searches' policies from the network's, in nats", m.SearchKL},
		{"search", "entropy", "entropy of the searches' policies, in nats", m.TargetEntropy},
		{"learning", "steps", "training steps since the run began", float64(m.TotalSteps)},
		{"learning", "samples", "samples since the run began", float64(m.TotalSamples)},
		{"learning", "window", "samples in the replay buffer", float64(m.Window)},
	}
	if m.Steps > 0 {
		all = append(all,
			Scalar{"learning", "rate", "learning rate of the last step", m.LearningRate},
			Scalar{"learning", "reuse", "how often a sample was learned from", m.SampleReuse},
			Scalar{"learning", "grad_norm", "length of the gradient", m.GradNorm},
			Scalar{"loss", "policy_kl", "policy loss on new games less the entropy of the targets, in nats", m.ValidationLoss.PolicyKL},
			Scalar{"loss", "outcome", "outcome loss on new games, in nats", m.ValidationLoss.Outcome},
			Scalar{"loss", "outcome_constant", "outcome loss of a constant guess, in nats", m.BaselineLoss},
			Scalar{"loss", "training_policy_kl", "policy loss on samples learned from less the entropy of the targets, in nats", m.TrainingLoss.PolicyKL},
			Scalar{"loss", "training_outcome", "outcome loss on samples learned from, in nats", m.TrainingLoss.Outcome},
		)
	}
	if x := m.Machine; x != nil && !x.Forked {
		all = append(all,
			Scalar{"machine", "seconds", "wall time of the generation", x.Seconds},
			Scalar{"machine", "cpu_seconds", "CPU time of the generation", x.CPUSeconds},
			Scalar{"machine", "evaluations_per_second", "positions evaluated a second in self-play", x.EvaluationsPerSecond},
			Scalar{"machine", "resident_bytes", "memory of the program", float64(x.Resident)},
			Scalar{"machine", "disk_bytes", "checkpoints and games on disk", float64(x.Disk)},
		)
	}
	return all
}
