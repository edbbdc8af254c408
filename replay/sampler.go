package replay

import (
	"math/rand/v2"
	"sync"

	"tiro/env"
	"tiro/net/graph"
)

// Targets says what a network is taught about a sample, and which samples it is
// taught more often.
type Targets struct {
	SearchValueWeight    float64 // part of the outcome target that is the search's value; the rest is the game's result
	Discount             float64 // factor by which a result counts less one ply earlier; 1: it counts in full
	PolicySurpriseWeight float64 // part of a game's draws that go in proportion to policy surprise; the rest is even
}

// Sampler draws samples from a Buffer into a training batch. It belongs to one
// goroutine, but fills the rows of the batch with several.
type Sampler struct {
	targets    Targets
	batch      *graph.Batch
	symmetries []env.Symmetry // at least one, which may be empty: the identity
	draws      []draw         // of the batch being filled
	fillers    []*filler
}

// draw is a sample to learn from, and the symmetry under which it is seen.
type draw struct {
	game     *record
	at       int // among the game's samples
	symmetry *env.Symmetry
}

// NewSampler returns a sampler of positions of game that fills the batch of a trainer,
// with as many goroutines as compute it.
func NewSampler(game env.Game, targets Targets, trainer *graph.Trainer) *Sampler {
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
		s.fillers = append(s.fillers, newFiller(game, batch))
	}
	return s
}

// Fill fills the batch with samples that are drawn from n samples of b,
// beginning with number first, each under a symmetry that is drawn too. A part
// of them is drawn again from their games by surprise.
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

// FillInOrder fills the batch with the samples of b from number first on, each once,
// in order and as it was played, for measuring. It returns how many they are. If they
// are fewer than the batch has rows, the others have no weight.
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

// fill writes all draws into the batch.
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
