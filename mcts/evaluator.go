package mcts

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tiro/env"
)

// Leaf is a position to be evaluated. It belongs to the search and is valid until the
// search's next Apply, Cancel, Gather, Step, Start or Advance.
type Leaf struct {
	State env.State    // the position, which is not over; read-only
	Legal []env.Action // its legal actions, or the ones given to StartAmong, ascending, never empty; read-only
	Prior []float32    // [Legal] output: positive probabilities that sum to 1
	Value env.Value    // output: the payoff by seat
}

// Evaluator sets the Prior and Value of each leaf. The answer must depend only on the
// position, not on its place in the batch or on the other leaves. After an error the
// answers are ignored. Unless documented otherwise, an Evaluator must be used by one
// goroutine at a time.
type Evaluator interface {
	Evaluate(ctx context.Context, leaves []*Leaf) error
}

var (
	_ Evaluator = Uniform{}
	_ Evaluator = (*Rollout)(nil)
	_ Evaluator = (*Cache)(nil)
)

// Uniform is an Evaluator that gives all actions the same prior and all positions the value
// 0. It is safe for concurrent use.
type Uniform struct{}

// Evaluate never fails.
func (Uniform) Evaluate(_ context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		uniform(leaf.Prior)
		leaf.Value = env.Value{}
	}
	return nil
}

func uniform(prior []float32) {
	p := 1 / float32(len(prior))
	for i := range prior {
		prior[i] = p
	}
}

// Rollout is an Evaluator that plays one random game from the position to its end, with
// uniform priors. The game depends only on the position's hash and the rollout's seed.
type Rollout struct {
	seed     uint64
	pcg      rand.PCG
	rng      *rand.Rand
	state    env.State
	maxPlies int
	sampler  env.Sampler // state, if it is an env.Sampler
	legal    []env.Action
}

// NewRollout returns a Rollout for game with a seed drawn from rng.
func NewRollout(game env.Game, rng *rand.Rand) *Rollout {
	r := &Rollout{seed: rng.Uint64(), state: game.New(), maxPlies: game.Spec().MaxPlies}
	r.rng = rand.New(&r.pcg)
	r.sampler, _ = r.state.(env.Sampler)
	return r
}

// Evaluate fails if ctx is done, or if a game continues after MaxPlies.
func (r *Rollout) Evaluate(ctx context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("mcts: rollout: %w", err)
		}
		uniform(leaf.Prior)
		var err error
		if leaf.Value, err = r.play(leaf.State); err != nil {
			return err
		}
	}
	return nil
}

// play returns the payoffs of a random game from s.
func (r *Rollout) play(s env.State) (env.Value, error) {
	r.pcg.Seed(r.seed, env.Mix(s.Hash()))
	r.state.CopyFrom(s)
	for range r.maxPlies + 1 {
		if v, over := r.state.Result(); over {
			return v, nil
		}
		r.state.Play(r.draw())
	}
	return env.Value{}, fmt.Errorf("mcts: rollout from %s: the game continues after MaxPlies = %d", s, r.maxPlies)
}

// draw returns a random legal action of r.state, which is not over.
func (r *Rollout) draw() env.Action {
	if r.sampler != nil {
		return r.sampler.Sample(r.rng)
	}
	r.legal = r.state.Legal(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))]
}
