package envtest

import (
	"math/rand/v2"
	"sync/atomic"

	"tiro/env"
)

// fault describes how a broken game differs from the correct game behind it. Nil fields do
// not differ.
type fault struct {
	spec         func(*env.Spec)
	new          func(g *brokenGame) env.State
	turn         func(s *brokenState) env.Player
	legal        func(s *brokenState, dst []env.Action) []env.Action
	play         func(s *brokenState, a env.Action)
	result       func(s *brokenState) (env.Value, bool)
	observe      func(s *brokenState, dst []float32)
	copyFrom     func(s, src *brokenState)
	hash         func(s *brokenState) uint64
	actionString func(s *brokenState, a env.Action) string
	setPosition  func(s *brokenState, pos string) error
	text         func(s *brokenState) string
	symmetries   func(all []env.Symmetry) []env.Symmetry
	sample       func(s *brokenState, rng *rand.Rand) env.Action
	finishing    func(s *brokenState, dst, legal []env.Action) []env.Action
	score        func(s *brokenState) env.Value
	ending       func(s *brokenState) string
	occurred     int // actions since the position last occurred
	ownership    func(s *brokenState, dst []int8, earlier *brokenState) env.Value
	draw         func(s *brokenState, screen env.Screen) string
	picture      string
	rules        *env.Rules
	describe     func(d *env.Description)
	cellName     func(cell int) string
	actionName   func(a env.Action) string
	turns        turnFault
}

// goodState has every ability that the suite checks.
type goodState interface {
	env.State
	env.Positioner
	env.Sampler
	env.Finisher
	env.Scorer
	env.Ender
	env.OwnershipScorer
	env.Drawer
}

type brokenGame struct {
	env.Game
	fault fault
	calls atomic.Uint64 // for faults with memory
	sink  any           // for faults that allocate
}

// Rules returns correct rules or the fault's.
func (g *brokenGame) Rules() env.Rules {
	if g.fault.rules != nil {
		return *g.fault.rules
	}
	return env.Rules{Text: "Type `b2` for the middle.", Moves: []env.ShownMove{{Move: "b2"}}}
}

func (g *brokenGame) Describe() env.Description {
	d := g.Game.(env.Describer).Describe()
	if g.fault.describe != nil {
		g.fault.describe(&d)
	}
	return d
}

func (g *brokenGame) CellName(seat env.Player, cell int) string {
	if g.fault.cellName != nil {
		return g.fault.cellName(cell)
	}
	return g.Game.(env.Describer).CellName(seat, cell)
}

func (g *brokenGame) ActionName(seat env.Player, a env.Action) string {
	if g.fault.actionName != nil {
		return g.fault.actionName(a)
	}
	return g.Game.(env.Describer).ActionName(seat, a)
}

type brokenState struct {
	goodState
	game  *brokenGame
	extra int // for faults with hidden state
	last  env.Action
}

func (g *brokenGame) Spec() env.Spec {
	spec := g.Game.Spec()
	if g.fault.spec != nil {
		g.fault.spec(&spec)
	}
	return spec
}

func (g *brokenGame) New() env.State {
	if g.fault.new != nil {
		return g.fault.new(g)
	}
	return &brokenState{goodState: g.Game.New().(goodState), game: g}
}

func (g *brokenGame) Symmetries() []env.Symmetry {
	all := g.Game.(env.Symmetric).Symmetries()
	if g.fault.symmetries != nil {
		return g.fault.symmetries(all)
	}
	return all
}

func (s *brokenState) Turn() env.Player {
	if s.game.fault.turn != nil {
		return s.game.fault.turn(s)
	}
	return s.goodState.Turn()
}

func (s *brokenState) Legal(dst []env.Action) []env.Action {
	if s.game.fault.legal != nil {
		return s.game.fault.legal(s, dst)
	}
	return s.goodState.Legal(dst)
}

func (s *brokenState) Play(a env.Action) {
	s.goodState.Play(a)
	s.last = a
	if s.game.fault.play != nil {
		s.game.fault.play(s, a)
	}
}

func (s *brokenState) Result() (env.Value, bool) {
	if s.game.fault.result != nil {
		return s.game.fault.result(s)
	}
	return s.goodState.Result()
}

func (s *brokenState) Observe(dst []float32) {
	s.goodState.Observe(dst)
	if s.game.fault.observe != nil {
		s.game.fault.observe(s, dst)
	}
}

func (s *brokenState) CopyFrom(from env.State) {
	src := from.(*brokenState)
	if s.game.fault.copyFrom != nil {
		s.game.fault.copyFrom(s, src)
		return
	}
	s.goodState.CopyFrom(src.goodState)
	s.extra, s.last = src.extra, src.last
}

func (s *brokenState) Hash() uint64 {
	if s.game.fault.hash != nil {
		return s.game.fault.hash(s)
	}
	return s.goodState.Hash()
}

func (s *brokenState) ActionString(a env.Action) string {
	if s.game.fault.actionString != nil {
		return s.game.fault.actionString(s, a)
	}
	return s.goodState.ActionString(a)
}

func (s *brokenState) String() string {
	if s.game.fault.text != nil {
		return s.game.fault.text(s)
	}
	return s.goodState.String()
}

func (s *brokenState) SetPosition(pos string) error {
	if s.game.fault.setPosition != nil {
		return s.game.fault.setPosition(s, pos)
	}
	return s.goodState.SetPosition(pos)
}

func (s *brokenState) Sample(rng *rand.Rand) env.Action {
	if s.game.fault.sample != nil {
		return s.game.fault.sample(s, rng)
	}
	return s.goodState.Sample(rng)
}

func (s *brokenState) Finishing(dst, legal []env.Action) []env.Action {
	if s.game.fault.finishing != nil {
		return s.game.fault.finishing(s, dst, legal)
	}
	return s.goodState.Finishing(dst, legal)
}

func (s *brokenState) Score() env.Value {
	if s.game.fault.score != nil {
		return s.game.fault.score(s)
	}
	return s.goodState.Score()
}

func (s *brokenState) Ending() string {
	if s.game.fault.ending != nil {
		return s.game.fault.ending(s)
	}
	return s.goodState.Ending()
}

func (s *brokenState) LastOccurrence() int { return s.game.fault.occurred }

func (s *brokenState) Quiet() int { return 0 }

func (s *brokenState) Ownership(dst []int8, state env.State) env.Value {
	earlier, ok := state.(*brokenState)
	if !ok {
		earlier = state.(copyingState).brokenState
	}
	score := s.goodState.Ownership(dst, earlier.goodState)
	if s.game.fault.ownership != nil {
		return s.game.fault.ownership(s, dst, earlier)
	}
	return score
}

func (s *brokenState) Draw(screen env.Screen) string {
	if s.game.fault.draw != nil {
		return s.game.fault.draw(s, screen)
	}
	return s.goodState.Draw(screen)
}

func (s *brokenState) DrawSVG(env.State) string { return s.game.fault.picture + "<svg/>" }

// copyingState is a state whose images are copies.
type copyingState struct{ *brokenState }

func newCopying(g *brokenGame) env.State {
	return copyingState{&brokenState{goodState: g.Game.New().(goodState), game: g}}
}

func (s copyingState) CopyFrom(src env.State)        { s.brokenState.CopyFrom(src.(copyingState).brokenState) }
func (s copyingState) SetImage(src env.State, _ int) { s.CopyFrom(src) }
