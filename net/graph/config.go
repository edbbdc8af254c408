package graph

import (
	"errors"
	"fmt"
)

// Config says how a network learns.
type Config struct {
	Kind            string  `yaml:"kind" json:"kind"`                         // "adam" or "momentum"
	WeightDecay     float64 `yaml:"weight_decay" json:"weight_decay"`         // decoupled: each step shrinks weights (not biases) by learning rate * decay
	ClipNorm        float64 `yaml:"clip_norm" json:"clip_norm"`               // largest global norm of the gradient; 0: no limit
	OutcomeWeight   float64 `yaml:"outcome_weight" json:"outcome_weight"`     // of the outcome's cross-entropy; the policy's counts 1
	OwnershipWeight float64 `yaml:"ownership_weight" json:"ownership_weight"` // of the cells' mean cross-entropy; like score_weight, for a network with that head (net.Config.Ownership)
	ScoreWeight     float64 `yaml:"score_weight" json:"score_weight"`         // of the score's error
	Beta1           float64 `yaml:"beta1" json:"beta1"`                       // adam: decay of the mean gradient
	Beta2           float64 `yaml:"beta2" json:"beta2"`                       // adam: decay of the mean squared gradient
	Epsilon         float64 `yaml:"epsilon" json:"epsilon"`                   // adam: added to the root of the mean square
	Momentum        float64 `yaml:"momentum" json:"momentum"`                 // momentum: share of the last step that is kept
}

// Default returns settings that learn small boards well. The learning rate is
// no part of it: each step is told its own. The weights of ownership and score are
// about those of KataGo (Wu 2019, "Accelerating self-play learning in Go",
// appendix B).
func Default() Config {
	return Config{
		Kind: "adam", WeightDecay: 1e-2, ClipNorm: 5, OutcomeWeight: 1,
		OwnershipWeight: 0.5, ScoreWeight: 0.5,
		Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Momentum: 0.9,
	}
}

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, field string, value any, wanted string) {
		if !ok {
			faults = append(faults, fmt.Errorf("graph: %s is %v; want %s", field, value, wanted))
		}
	}
	want(c.Kind == "adam" || c.Kind == "momentum", "kind", c.Kind, "adam or momentum")
	want(c.WeightDecay >= 0 && c.WeightDecay < 1, "weight_decay", c.WeightDecay, "0 or more, below 1")
	want(c.ClipNorm >= 0 && c.ClipNorm <= 1e6, "clip_norm", c.ClipNorm, "0 (none) to 1000000")
	want(c.OutcomeWeight >= 0 && c.OutcomeWeight <= 1e3, "outcome_weight", c.OutcomeWeight, "0 to 1000")
	want(c.OwnershipWeight >= 0 && c.OwnershipWeight <= 1e3, "ownership_weight", c.OwnershipWeight, "0 to 1000")
	want(c.ScoreWeight >= 0 && c.ScoreWeight <= 1e3, "score_weight", c.ScoreWeight, "0 to 1000")
	want(c.Beta1 >= 0 && c.Beta1 < 1, "beta1", c.Beta1, "0 or more, below 1")
	want(c.Beta2 >= 0 && c.Beta2 < 1, "beta2", c.Beta2, "0 or more, below 1")
	want(c.Epsilon > 0 && c.Epsilon < 1, "epsilon", c.Epsilon, "above 0, below 1")
	want(c.Momentum >= 0 && c.Momentum < 1, "momentum", c.Momentum, "0 or more, below 1")
	return errors.Join(faults...)
}
