package replay

import (
	"math/rand/v2"
	"sync"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
)

// Targets configures the training targets and the sampling within a game.
type Targets struct {
	SearchValueWeight    float64 // weight of the search's value in the outcome target; the game's result has the rest
	Discount             float64 // factor applied to the result for each ply before the end; 1 turns discounting off
	PolicySurpriseWeight float64 // fraction of draws that are weighted by policy surprise; the rest are uniform
}

// Sampler draws samples from a Buffer into a training batch. It must be used by one
// goroutine at a time; it fills the rows of the batch with several.
type Sampler struct {
	targets    Targets
	batch      *graph.Batch
	symmetries []env.Symmetry // at least one, which may be empty: the identity
	draws      []draw         // of the batch being filled
	fillers    []*filler
}

// draw is a sample to learn from and the symmetry applied to it.
type draw struct {
	game     *record
	at       int // index among the game's samples
	symmetry *env.Symmetry
}

// Trainer is a graph.Trainer or a learner.Trainer.
type Trainer interface {
	Batch() *graph.Batch
	Threads() int
}

// NewSampler returns a sampler of positions of game, as a network of configuration c sees
// them, that fills trainer's batch, with as many goroutines as the trainer has threads.
func NewSampler(game env.Game, c net.Config, targets Targets, trainer Trainer) *Sampler {
	batch := trainer.Batch()
	s := &Sampler{
		targets:    targets,
		batch:      batch,
		symmetries: []env.Symmetry{{}},
		draws:      make([]draw, len(batch.Weight)),
	}
	if symmetric, ok := game.(env.Symmetric); ok {
		s.symmetries = symmetric.Symmetries()
	}
	for range min(trainer.Threads(), len(s.draws)) {
		s.fillers = append(s.fillers, newFiller(game, c, batch))
	}
	return s
}

// Fill fills the batch with random samples under random symmetries. The samples are drawn
// uniformly from n samples of b, beginning with number first; a fraction of them is then
// replaced with draws from the same game weighted by surprise.
func (s *Sampler) Fill(b *Buffer, first, n int, rng *rand.Rand) {
	for i := range s.draws {
		d := &s.draws[i]
		d.game, d.at = b.sample(first + rng.IntN(n))
		if d.game.surprise != nil && rng.Float64() < s.targets.PolicySurpriseWeight {
			d.at = d.game.drawSurprising(rng)
		}
		d.symmetry = &s.symmetries[rng.IntN(len(s.symmetries))]
	}
	s.fill()
}

// FillInOrder fills the batch with the samples of b from number first, each once, in order
// and without symmetries, for evaluation. It returns their number. If there are fewer
// samples than rows, the remaining rows get weight 0.
func (s *Sampler) FillInOrder(b *Buffer, first int) (filled int) {
	filled = min(len(s.draws), b.Len()-first)
	identity := &env.Symmetry{}
	for i := range s.draws {
		d := &s.draws[i]
		d.game, d.at = b.sample(first + min(i, filled-1))
		d.symmetry = identity
	}
	s.fill()
	clear(s.batch.Weight[filled:])
	return filled
}

// fill writes all draws to the batch.
func (s *Sampler) fill() {
	var wait sync.WaitGroup
	for k, f := range s.fillers {
		from, to := k*len(s.draws)/len(s.fillers), (k+1)*len(s.draws)/len(s.fillers)
		wait.Go(func() {
			for i := from; i < to; i++ {
				f.fill(i, &s.draws[i], &s.targets)
			}
		})
	}
	wait.Wait()
}
