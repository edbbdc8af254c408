package train

import (
	"tiro/env"
	"tiro/selfplay"
)

// filler makes rows of a batch from rows of games. It belongs to one goroutine.
type filler struct {
	state env.State // the position of the row
	legal []env.Action
	x     []float32 // its observation before the symmetry
}

func newFiller(game env.Game) *filler {
	return &filler{state: game.New(), x: make([]float32, game.Spec().Inputs())}
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
	image := func(a env.Action) env.Action {
		if s.Action == nil {
			return a
		}
		return s.Action[a]
	}
	for i := range dst {
		dst[i] = -1
	}
	f.legal = f.state.Legal(f.legal[:0])
	for _, a := range f.legal {
		dst[image(a)] = 0
	}
	for _, p := range policy {
		dst[image(env.Action(p.action))] = float32(p.part) / selfplay.Whole
	}
}
