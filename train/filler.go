package train

import (
	"math"

	"tiro/env"
	"tiro/net/graph"
	"tiro/selfplay"
)

// filler makes rows of a batch from rows of games. It belongs to one goroutine.
type filler struct {
	state  env.State // the position of the row
	legal  []env.Action
	x      []float32 // its observation before the symmetry
	owners []int8    // likewise
}

func newFiller(game env.Game) *filler {
	spec := game.Spec()
	return &filler{state: game.New(), x: make([]float32, spec.Inputs()), owners: make([]int8, spec.Cells())}
}

// observe writes the image of the state's observation.
func (f *filler) observe(dst []float32, s *env.Symmetry) {
	if s.Input == nil {
		f.state.Observe(dst)
		return
	}
	f.state.Observe(f.x)
	for i, from := range s.Input {
		dst[i] = f.x[from]
	}
}

// policy writes the image of a row's policy, below 0 for illegal actions.
func (f *filler) policy(dst []float32, policy []share, s *env.Symmetry) {
	for i := range dst {
		dst[i] = -1
	}
	f.legal = f.state.Legal(f.legal[:0])
	for _, a := range f.legal {
		dst[image(a, s)] = 0
	}
	for _, p := range policy {
		dst[image(env.Action(p.action), s)] = float32(p.part) / selfplay.Scale
	}
}

// image returns the image of an action.
func image(a env.Action, s *env.Symmetry) env.Action {
	if s.Action == nil {
		return a
	}
	return s.Action[a]
}

// ownership fills row i of what teaches the ownership head, if the network has it. The
// state is the row's position.
func (f *filler) ownership(b *graph.Batch, i int, d draw) {
	if b.Ownership == nil {
		return
	}
	ownership, players := b.Ownership[i*len(f.owners):][:len(f.owners)], len(b.Score)/len(b.Weight)
	score := b.Score[i*players:][:players]
	if d.game.end == nil {
		for cell := range ownership {
			ownership[cell] = env.NoOwnership
		}
		for seat := range score {
			score[seat] = float32(math.NaN())
		}
		return
	}
	bySeat := d.game.end.(env.OwnershipScorer).Ownership(f.owners, f.state)
	view := bySeat.From(f.state.Turn(), players)
	copy(score, view[:])
	copy(ownership, f.owners)
	if s := d.symmetry; s.Input != nil {
		for cell := range ownership {
			ownership[cell] = f.owners[int(s.Input[cell])%len(ownership)]
		}
	}
}
