package mcts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"tiro/env"
)

// Search searches for the best action in a position, move after move. It must be used by
// one goroutine at a time and starts none.
type Search struct {
	tree
	game     env.Game
	config   Config
	selector selector
	maxNodes int

	state       env.State    // the root position
	after       env.State    // scratch: the position after an action
	finishing   []env.Action // scratch: actions that may end the game
	only        []env.Action // actions to consider at the root; nil: all
	rng         *rand.Rand   // for noise at the root; nil means no noise
	simulations int          // in this move
	completed   int          // simulations of this move that were backed up
	flights     []flight     // simulations in flight
	pool        []*Leaf      // leaves for reuse; the first pending ones are in flight
	pending     int

	path  []int32 // scratch: edges from the root
	batch []*Leaf // scratch for Run
}

// selector chooses the actions of simulations, at the root and below, and the action to
// play. Each kind of root has its own.
type selector interface {
	// begin prepares for a move, with noise unless rng is nil. It is called again when the
	// root has been evaluated.
	begin(simulations int, rng *rand.Rand)
	// ready reports whether a simulation may start while others are in flight.
	ready(inFlight int) bool
	// choose returns the edge of n for a simulation. If n is the root, ready has returned
	// true.
	choose(n int32) int32
	// best returns the edge of the root to play.
	best() int32
	// policy writes the improved policy by edge of the root, up to a constant factor. The
	// values of ineligible edges are ignored.
	policy(dst []float32, best int32)
}

// New returns a search of game's start position without noise; see Start.
func New(game env.Game, c Config) (*Search, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("mcts: configuration: %w", err)
	}
	s := &Search{game: game, config: c, maxNodes: c.nodes(), state: game.New(), after: game.New()}
	s.players = game.Spec().Players
	s.loss = -1 / float32(s.players-1)
	s.usual = c.Gumbel.ValueSpread
	s.parallel, s.virtualLoss = c.ParallelLeaves > 1, c.VirtualLoss
	switch c.Root {
	case RootPUCT:
		s.selector = &puct{tree: &s.tree, config: c.PUCT}
	case RootImproved:
		s.selector = &improved{gumbel{tree: &s.tree, config: c.Gumbel}}
	default:
		s.selector = &gumbel{tree: &s.tree, config: c.Gumbel}
	}
	s.restart()
	return s, nil
}

// Bytes returns an upper bound on the memory of a Search of game with this configuration,
// in bytes. It assumes the maximum number of nodes and edges, which few trees reach, and
// the quarter that append may leave unused.
func (c Config) Bytes(game env.Game) int64 {
	actions, nodes := int64(game.Spec().Actions()), int64(c.nodes()+1) // the last node may come with a node for its reply
	edges := min((nodes-1)*actions, int64(maxEdges(c.nodes()))+actions)
	const numberBytes, edgeNumbers = 4, 5
	leaves := int64(min(max(c.Gumbel.considered(c.Simulations), c.ParallelLeaves), c.Simulations+1))
	leaf := int64(unsafe.Sizeof(Leaf{})+unsafe.Sizeof(flight{})) + int64(env.Size(game.New()))
	return 5 * (nodes*(int64(unsafe.Sizeof(node{}))+numberBytes) + (edges*edgeNumbers+4*actions)*numberBytes + leaves*leaf) / 4
}

// Start begins a new tree at state, which is copied. The noise at the root is drawn from
// rng, now and after each Advance. Without a generator there is no noise.
func (s *Search) Start(state env.State, rng *rand.Rand) { s.StartAmong(state, rng, nil) }

// StartAmong is like Start, but considers only the legal actions in only, at least one, at the
// root. The root's values and proofs then hold for a player without other actions. A single
// action is searched as well. With nil it considers all. Unless only has all legal actions, the
// search must not use a Cache, which identifies the root by its position.
func (s *Search) StartAmong(state env.State, rng *rand.Rand, only []env.Action) {
	s.state.CopyFrom(state)
	if s.rng = rng; !s.config.RootNoise {
		s.rng = nil
	}
	s.only = only
	s.restart()
}

func (s *Search) restart() {
	s.flights, s.pending = s.flights[:0], 0
	s.truncate(0, 0)
	s.resetSpread()
	s.add(none, 0, s.state)
	if s.only != nil {
		s.restrict()
	}
	s.begin()
}

// restrict removes the edges of the new root that are not in s.only.
func (s *Search) restrict() {
	kept := slices.DeleteFunc(s.action, func(a env.Action) bool { return !slices.Contains(s.only, a) })
	s.nodes[root].edges = int32(len(kept))
	s.truncate(1, int32(len(kept)))
}

// begin begins a move. A forced move is only evaluated, not searched, unless StartAmong names it.
func (s *Search) begin() {
	s.simulations, s.completed = s.config.Simulations, 0
	if s.nodes[root].edges == 1 && s.only == nil {
		s.simulations = 0
	}
	s.selector.begin(s.simulations, s.rng)
}

// Simulations returns the number of new simulations per move.
func (s *Search) Simulations() int { return s.config.Simulations }

// SetSimulations changes the number of new simulations per move, at least 1, from the next
// Start or Advance. The maximum number of nodes, if derived from it, never shrinks.
func (s *Search) SetSimulations(n int) {
	s.config.Simulations = min(max(n, 1), math.MaxInt32)
	s.maxNodes = max(s.maxNodes, s.config.nodes())
}

// nodes returns the maximum number of nodes of a tree.
func (c Config) nodes() int {
	if c.MaxNodes > 0 {
		return c.MaxNodes
	}
	return min(8*c.Simulations, math.MaxInt32)
}

// State returns the root position. The caller must not change it.
func (s *Search) State() env.State { return s.state }

// Done reports whether the search of this move has ended: because all simulations are
// complete, the root is decided, the game is over, there is only one legal action, or the
// tree is full. A search with leaves in flight is not done.
func (s *Search) Done() bool {
	if s.decided() {
		return true
	}
	return s.nodes[root].visits > 0 && len(s.flights) == 0 && (s.completed >= s.simulations || s.full(s.maxNodes))
}

// Advance plays the legal action a at the root and begins the next move, reusing the
// subtree of the new position. Leaves in flight are cancelled. The subtree is discarded if
// it does not leave room for the next move's simulations or, if these need more than half
// of the tree, for half of the tree.
func (s *Search) Advance(a env.Action) {
	s.Cancel()
	s.only = nil
	c := none
	if e := s.edge(a); e != none && e < s.nodes[root].expanded {
		c = s.child[e]
	}
	s.state.Play(a)
	s.forgetRoot()
	if c == none || s.nodes[c].edges == 0 || s.winsAtOnce(c) || !s.fits(c) {
		s.restart()
		return
	}
	s.keep(c)
	s.measureSpread()
	s.begin()
}

// fits reports whether the subtree at c leaves room for the next move, whose simulations add up
// to two nodes each, a leaf and its reply, and edges as in the subtree. It also computes where
// the subtree's nodes move.
func (s *Search) fits(c int32) bool {
	nodes, edges := s.subtree(c)
	most, simulations := maxEdges(s.maxNodes), s.config.Simulations
	return nodes+min(2*simulations, s.maxNodes/2) <= s.maxNodes && edges+min(simulations*(edges/nodes+1), most/2) <= most
}

// Run searches until Done, evaluating leaves with e. If ctx ends or e fails, it returns the
// wrapped error and cancels the leaves in flight; the search can then be continued as if
// nothing had happened.
func (s *Search) Run(ctx context.Context, e Evaluator) error {
	for !s.Done() {
		if err := s.Step(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// Step advances the search by one call of e. If all simulations of the step end at known
// values, e is not called.
func (s *Search) Step(ctx context.Context, e Evaluator) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("mcts: search: %w", err)
	}
	s.batch = s.Gather(s.batch[:0], math.MaxInt)
	if len(s.batch) == 0 {
		return nil
	}
	if err := e.Evaluate(ctx, s.batch); err != nil {
		s.Cancel()
		return fmt.Errorf("mcts: evaluate %d leaves: %w", len(s.batch), err)
	}
	s.Apply(s.batch)
	return nil
}
