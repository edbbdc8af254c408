package replay

import (
	"math"

	"tiro/env"
	"tiro/net"
	"tiro/net/graph"
	"tiro/selfplay"
)

// filler writes samples into rows of a batch. It must be used by one goroutine at a time.
type filler struct {
	spec   env.Spec
	net    net.Config // of the network that learns
	batch  *graph.Batch
	state  env.State // the position of the sample
	legal  []env.Action
	x      []float32 // observation before the symmetry
	owners []int8    // owner of each cell before the symmetry
}

func newFiller(game env.Game, c net.Config, batch *graph.Batch) *filler {
	spec := game.Spec()
	return &filler{spec: spec, net: c, batch: batch, state: game.New(), x: make([]float32, spec.Inputs()), owners: make([]int8, spec.Cells())}
}

// fill writes a sample into row i. Different rows may be filled concurrently.
func (f *filler) fill(i int, d *draw, t *Targets) {
	ply := int(d.game.samples[d.at].ply)
	inputs, actions, outcomes := f.spec.Inputs(), f.spec.Actions(), f.spec.Outcomes()
	d.game.replay(f.state, ply)
	f.observe(f.batch.X[i*inputs:(i+1)*inputs], d.symmetry)
	f.policy(f.batch.Policy[i*actions:(i+1)*actions], d.game.policy(d.at), d.symmetry)
	o := d.game.target(d.at, t)
	o.write(f.batch.Outcome[i*outcomes:(i+1)*outcomes], f.state.Turn())
	f.ownership(i, d)
	f.batch.Weight[i] = 1
}

func (f *filler) observe(dst []float32, s *env.Symmetry) {
	if s.Input == nil {
		f.net.Observe(f.state, dst)
		return
	}
	f.net.Observe(f.state, f.x)
	for i, from := range s.Input {
		dst[i] = f.x[from]
	}
}

// policy writes the policy under the symmetry s, with negative numbers for illegal actions.
func (f *filler) policy(dst []float32, policy []selfplay.PolicyEntry, s *env.Symmetry) {
	for i := range dst {
		dst[i] = -1
	}
	f.legal = f.state.Legal(f.legal[:0])
	for _, a := range f.legal {
		dst[image(a, s)] = 0
	}
	for _, p := range policy {
		dst[image(env.Action(p.Action), s)] = float32(p.Weight) / selfplay.Scale
	}
}

func image(a env.Action, s *env.Symmetry) env.Action {
	if s.Action == nil {
		return a
	}
	return s.Action[a]
}

// ownership writes row i of the ownership and score targets, if the network has an
// ownership head.
func (f *filler) ownership(i int, d *draw) {
	b := f.batch
	if b.Ownership == nil {
		return
	}
	ownership, players := b.Ownership[i*len(f.owners):][:len(f.owners)], f.spec.Players
	score := b.Score[i*players:][:players]
	if d.game.final == nil {
		for cell := range ownership {
			ownership[cell] = env.NoOwnership
		}
		for seat := range score {
			score[seat] = float32(math.NaN())
		}
		return
	}
	bySeat := d.game.final.(env.OwnershipScorer).Ownership(f.owners, f.state)
	view := bySeat.From(f.state.Turn(), players)
	copy(score, view[:])
	copy(ownership, f.owners)
	if s := d.symmetry; s.Input != nil {
		for cell := range ownership {
			ownership[cell] = f.owners[int(s.Input[cell])%len(ownership)]
		}
	}
}
