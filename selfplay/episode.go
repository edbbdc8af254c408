package selfplay

import (
	"fmt"
	"math"
	"slices"

	"tiro/env"
	"tiro/internal/portable"
	"tiro/mcts"
)

// Scale is the fixed-point scale of probabilities and payoffs: an Episode stores them as
// multiples of 1/Scale, which is four digits.
const Scale = 10000

// MaxActions is the maximum number of actions of a game, since a PolicyEntry stores them in
// 16 bits.
const MaxActions = 1 << 16

// CheckActions returns an error if a game has more than MaxActions actions.
func CheckActions(spec env.Spec) error {
	if n := spec.Actions(); n > MaxActions {
		return fmt.Errorf("%s has %d actions, more than the limit of %d", spec.Name, n, MaxActions)
	}
	return nil
}

// Resignation is the Ending of an imported game that ended early with the win of one seat.
// Games of self-play are played to their end.
const Resignation = "resignation"

// Episode is one finished game.
type Episode struct {
	Game    int          // number within the generation
	Rules   env.Game     `json:"-"` // the game played: the run's, or a variant from Config.Game
	Opening int          // number of random actions at the beginning
	Actions []env.Action // all actions of the game, each in its mover's frame
	Samples []Sample     // for the moves after the opening, by ply
	Result  env.Value    // payoff by seat
	Ending  string       // the rule that ended the game (env.Ender), or Resignation
}

// Sample is the result of a search at one position, from which a network learns.
type Sample struct {
	Ply    int           // number of actions before the position
	Policy []PolicyEntry // ascending by action; the weights sum to Scale
	Value  env.Value     // payoff by seat expected by the search, to four digits
	KL     float32       // divergence of Policy from the network's prior in nats, to four digits
}

// PolicyEntry is the probability of an action under a policy.
type PolicyEntry struct {
	Action uint16 // below MaxActions
	Weight uint16 // probability in units of 1/Scale, at least 1
}

// newSample rounds the search result r at a ply.
func newSample(ply, players int, r *mcts.Result) Sample {
	sample := Sample{Ply: ply, Policy: round(r.Actions, r.Policy), KL: roundTo4(divergence(r.Policy, r.Prior))}
	for seat := range players {
		sample.Value[seat] = roundTo4(float64(r.Value[seat]))
	}
	return sample
}

// round converts probabilities to weights that sum to Scale. It rounds the running sum, so
// that small probabilities are not all lost.
func round(actions []env.Action, policy []float32) []PolicyEntry {
	total := 0.0
	for _, p := range policy {
		total += float64(p)
	}
	entries := make([]PolicyEntry, 0, len(actions))
	sum, before := 0.0, 0
	for i, a := range actions {
		sum += float64(policy[i])
		until := int(math.Round(sum / total * Scale))
		if weight := until - before; weight > 0 {
			entries = append(entries, PolicyEntry{Action: uint16(a), Weight: uint16(weight)})
		}
		before = until
	}
	return slices.Clip(entries)
}

// divergence is the Kullback-Leibler divergence of p from q in nats.
func divergence(p, q []float32) float64 {
	sum := 0.0
	for i := range p {
		if p[i] > 0 {
			sum += float64(float64(p[i]) * portable.Log(float64(p[i])/math.Max(float64(q[i]), 1e-9)))
		}
	}
	return max(sum, 0) // rounding errors may make it negative
}

func roundTo4(x float64) float32 { return float32(math.Round(x*Scale) / Scale) }
