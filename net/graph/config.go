package graph

import "tiro/internal/faults"

// Config configures the losses and the optimizer, Adam.
type Config struct {
	WeightDecay     float64 `yaml:"weight_decay" json:"weight_decay"`         // decoupled: each step shrinks weights (not biases) by learning rate * decay
	ClipNorm        float64 `yaml:"clip_norm" json:"clip_norm"`               // largest global norm of the gradient; 0 for no limit
	OutcomeWeight   float64 `yaml:"outcome_weight" json:"outcome_weight"`     // weight of the outcome's cross-entropy; the policy's weight is 1
	OwnershipWeight float64 `yaml:"ownership_weight" json:"ownership_weight"` // weight of the cells' mean cross-entropy, with net.Config.Ownership
	ScoreWeight     float64 `yaml:"score_weight" json:"score_weight"`         // weight of the score's error, with net.Config.Ownership
	Beta1           float64 `yaml:"beta1" json:"beta1"`                       // decay of the mean gradient
	Beta2           float64 `yaml:"beta2" json:"beta2"`                       // decay of the mean squared gradient
	Epsilon         float64 `yaml:"epsilon" json:"epsilon"`                   // added to the square root of the mean squared gradient
}

// Default returns settings that work well on small boards. The learning rate is an argument of
// each step. The weights of ownership and score are close to KataGo's (Wu 2019, "Accelerating
// self-play learning in Go", appendix B).
func Default() Config {
	return Config{
		WeightDecay: 1e-2, ClipNorm: 5, OutcomeWeight: 1,
		OwnershipWeight: 0.5, ScoreWeight: 0.5,
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
	}
}

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	f.Check(c.ClipNorm >= 0 && c.ClipNorm <= 1e6, "clip_norm", c.ClipNorm, "0 (none) to 1000000")
	faults.Within(&f, "outcome_weight", c.OutcomeWeight, 0, 1e3)
	faults.Within(&f, "ownership_weight", c.OwnershipWeight, 0, 1e3)
	faults.Within(&f, "score_weight", c.ScoreWeight, 0, 1e3)
	below1 := func(field string, value float64) {
		f.Check(value >= 0 && value < 1, field, value, "at least 0 and below 1")
	}
	below1("weight_decay", c.WeightDecay)
	below1("beta1", c.Beta1)
	below1("beta2", c.Beta2)
	f.Check(c.Epsilon > 0 && c.Epsilon < 1, "epsilon", c.Epsilon, "above 0 and below 1")
	return f.Err()
}
