package mcts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tiro/env"
)

// Search looks for the best action in one position, move after move. It
// belongs to one goroutine and starts none.
type Search struct {
	tree
	game    env.Game
	config  Config
	players int
	loss    float32 // payoff of a player who has lost alone to a winner
	limit   int     // nodes

	state     env.State  // the root position
	rng       *rand.Rand // of the noise at the root; may be nil
	noise     bool       // in this move
	rootPrior []float32  // PUCT root under noise: the priors to choose by, by edge of the root; else empty
	halving   halving    // Gumbel root

	budget  int       // simulations of this move
	spent   int       // those applied
	flights []flight  // those on their way
	pool    []*Leaf   // to be used again; the first pending ones are in flight
	pending int       // leaves in flight
	path    []int32   // scratch: edges from the root
	weight  []float32 // scratch: of a node's children
	batch   []*Leaf   // scratch of Run
}

// New returns a search of game's start position, without noise; see Start.
func New(game env.Game, c Config) (*Search, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	players := game.Spec().Players
	s := &Search{
		game: game, config: c, players: players,
		loss:  -1 / float32(players-1),
		limit: c.MaxNodes,
		state: game.New(),
	}
	s.SetSimulations(c.Simulations)
	s.restart()
	return s, nil
}

// Start begins a new tree at the position state, which is copied. The random
// generator is what noise at the root is drawn from, now and after each
// Advance; without one there is no noise.
func (s *Search) Start(state env.State, rng *rand.Rand) {
	s.state.CopyFrom(state)
	s.rng = rng
	s.restart()
}

// restart begins a new tree at s.state.
func (s *Search) restart() {
	s.flights, s.pending = s.flights[:0], 0
	s.truncate(0, 0)
	s.add(none, 0, s.state)
	s.begin()
}

// SetSimulations changes the number of new simulations a move, at least 1,
// from the next Start or Advance on. A limit of nodes that follows from it
// never shrinks.
func (s *Search) SetSimulations(n int) {
	s.config.Simulations = min(max(n, 1), math.MaxInt32)
	s.limit = max(s.limit, s.config.nodes())
}

// nodes returns how many nodes a tree has at most.
func (c Config) nodes() int {
	if c.MaxNodes > 0 {
		return c.MaxNodes
	}
	return min(8*c.Simulations, math.MaxInt32)
}

// State returns the root position. The caller must not change it.
func (s *Search) State() env.State { return s.state }

// Done reports whether the search of this move has ended: the simulations are
// spent, the result of the root is decided or the game over, or the tree has
// no room left. While leaves are in flight it has not.
func (s *Search) Done() bool {
	if s.decided() {
		return true
	}
	return s.nodes[root].visits > 0 && len(s.flights) == 0 && (s.spent >= s.budget || s.full(s.limit))
}

// Advance plays the legal action a at the root, keeps what the tree holds of
// the position after it, and begins the next move. Leaves in flight are
// cancelled. A subtree that leaves too little room for the next move's
// simulations (or, if these are many, that fills half the room) is forgotten.
func (s *Search) Advance(a env.Action) {
	s.Cancel()
	c := none
	if e := s.edge(root, a); e != none && e < s.nodes[root].open {
		c = s.child[e]
	}
	s.state.Play(a)
	if c == none || !s.fits(c) {
		s.restart()
		return
	}
	s.keep(c)
	s.begin()
}

// fits reports whether the subtree at c leaves room for the next move, and notes
// where its nodes go.
func (s *Search) fits(c int32) bool {
	nodes, edges := s.subtree(c)
	news := min(s.config.Simulations, s.limit/2)
	return nodes+news <= s.limit && edges+news*edgesPerNode <= maxEdges(s.limit)
}

// begin prepares the root for a move.
func (s *Search) begin() {
	s.budget, s.spent = s.config.Simulations, 0
	s.noise = s.config.RootNoise && s.rng != nil
	s.rootPrior = s.rootPrior[:0]
	s.halving.reset()
	if nd := &s.nodes[root]; nd.visits > 0 && nd.edges > 0 {
		s.prepareRoot()
	}
}

// prepareRoot makes the plan of a move at a root that has been judged.
func (s *Search) prepareRoot() {
	switch {
	case s.config.Root == RootGumbel:
		s.startHalving()
	case s.noise:
		s.drawRootPrior()
		s.promoteNext(root)
	}
}

// promoteNext finds the action of n to be tried next.
func (s *Search) promoteNext(n int32) {
	s.promote(n, s.priors(n))
}

// priors returns the priors, by edge, that an action of n is chosen by.
func (s *Search) priors(n int32) []float32 {
	if n == root && len(s.rootPrior) > 0 {
		return s.rootPrior
	}
	return s.prior
}

// Run searches until Done, asking e for judgement. If ctx ends or e fails, it
// returns the error wrapped and cancels the leaves in flight; the search can
// then go on, by Run again or otherwise, as if nothing had happened.
func (s *Search) Run(ctx context.Context, e Evaluator) error {
	for !s.Done() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("mcts: search: %w", err)
		}
		s.batch = s.gather(s.batch[:0], math.MaxInt, gatherAtOnce)
		if len(s.batch) == 0 {
			continue // known values only; time to look at ctx
		}
		if err := e.Evaluate(ctx, s.batch); err != nil {
			s.Cancel()
			return fmt.Errorf("mcts: evaluate %d leaves: %w", len(s.batch), err)
		}
		s.Apply(s.batch)
	}
	return nil
}
