package player

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/player/clock"
)

// MaxDepth is the maximum search depth of alpha-beta.
const MaxDepth = 64

// alphaBeta searches depth actions ahead (not turns, which may have several actions) and
// evaluates the last position with the game's heuristic score (env.Scorer), or as even if
// there is none. It breaks ties at random. With a limit of time it searches deeper
// and deeper, and plays the best action of the last completed depth. It always completes
// depth 1.
//
// With more than two seats it assumes that the others cooperate against the player
// ("paranoid" search: Sturtevant and Korf 2000, "On pruning techniques for multi-player
// games", section 3), so that alpha-beta pruning works as with two seats. Whether a node
// maximises or minimises depends on the player to move, not on the distance from the root.
type alphaBeta struct {
	timeLimit
	name    string
	depth   int
	over    func() bool // whether the time for this move is over
	hurry   bool        // whether the search stops when it is
	players int
	stall   bool // whether the player is stubborn and behind
	me      env.Player
	stack   []frame // by distance from the root, depth+1
	table   []entry // transposition table
	nodes   int
	best    env.Action
	value   float32 // value of best to me
	err     error   // reason for stopping the search
}

// newAlphaBeta returns a player with the depth or the time of limit.
func newAlphaBeta(name string, game env.Game, limit timeLimit) *alphaBeta {
	depth := cmp.Or(limit.budget.Depth, MaxDepth)
	p := &alphaBeta{timeLimit: limit, name: name, depth: depth, players: game.Spec().Players, stack: make([]frame, depth+1), table: make([]entry, tableSize)}
	for i := range p.stack {
		p.stack[i].state = game.New()
	}
	return p
}

// errTime stops a search whose time is over.
var errTime = errors.New("the time is over")

var (
	_ Analyzer = (*alphaBeta)(nil)
	_ Counter  = (*alphaBeta)(nil)
	_ NewGamer = (*alphaBeta)(nil)
	_ Clocked  = (*alphaBeta)(nil)
)

// frame holds the memory of one level of the recursion.
type frame struct {
	state env.State
	legal []env.Action
	order []orderedAction
}

// orderedAction is an action with its key for move ordering: the evaluation after
// the action for the player to move. Larger keys are searched earlier.
type orderedAction struct {
	action env.Action
	key    float32
}

// tableSize is the number of entries of the transposition table, a power of two. It
// affects the time of a search, not its value.
const tableSize = 1 << 16

// entry is the result of an earlier search of a position. It is used only at equal
// depth, so that a search returns the same value with and without the table.
type entry struct {
	hash      uint64
	low, high float32    // bounds of the value, equal if it is exact
	action    env.Action // best action, or the action that caused a cutoff
	depth     int8       // 0 if the entry is empty
}

// The window at the root, outside all values.
const (
	lowest  = -4
	highest = 4
)

func (p *alphaBeta) Name() string { return p.name }

// Nodes implements Counter.
func (p *alphaBeta) Nodes() int { return p.nodes }

func (p *alphaBeta) Choose(ctx context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	p.err, p.nodes, p.me = ctx.Err(), 0, s.Turn()
	p.best = -1
	if p.manager != nil {
		p.manager.Continue()
	}
	over, end := p.start(p.opinion)
	defer end()
	p.over = over
	clear(p.table)
	p.stack[0].state.CopyFrom(s)

	// Iterative deepening: the root's order is random at first. Then the best action of
	// the previous depth comes first, and an equal action does not replace it.
	legal := s.Legal(nil)
	rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
	for depth := 1; depth <= p.depth; depth++ {
		p.hurry = depth > 1
		best, value := p.root(ctx, legal, depth)
		if errors.Is(p.err, errTime) {
			break
		}
		if p.err != nil {
			return 0, fmt.Errorf("player %s: %w", p.Name(), p.err)
		}
		p.best, p.value = best, value
		i := slices.Index(legal, best)
		copy(legal[1:i+1], legal[:i])
		legal[0] = best
		if p.timed() && (len(legal) == 1 || p.over() || value >= 1 || value <= -1) {
			break
		}
	}
	return p.best, nil
}

// opinion returns the state of the search. The depths give no measure of doubt.
func (p *alphaBeta) opinion() clock.Opinion { return clock.Opinion{Best: int(p.best), Doubt: 0.5} }

// Analysis implements Analyzer. It divides the payoffs of the others, of which only
// the sum is known, equally.
func (p *alphaBeta) Analysis() Analysis {
	own := max(-1, min(1, p.value))
	t := Analysis{Nodes: p.nodes}
	for i := range p.players {
		t.Value[i] = -own / float32(p.players-1)
	}
	t.Value[p.me] = own
	t.Lines = []Line{{Actions: []env.Action{p.best}, Value: t.Value}}
	return t
}

// root returns the best legal action and its value to me, searched to depth.
func (p *alphaBeta) root(ctx context.Context, legal []env.Action, depth int) (best env.Action, value float32) {
	value = lowest
	for _, a := range legal {
		child := p.stack[1].state
		child.CopyFrom(p.stack[0].state)
		child.Play(a)
		if v := p.search(ctx, depth-1, 1, value, highest); v > value {
			best, value = a, v
		}
	}
	return best, value
}

// search returns the value to me of the state at distance ply from the root,
// searched to depth: exact between alpha and beta, otherwise a bound (fail-soft;
// Knuth and Moore 1975, "An analysis of alpha-beta pruning").
func (p *alphaBeta) search(ctx context.Context, depth, ply int, alpha, beta float32) float32 {
	if p.nodes++; p.nodes%64 == 0 && p.err == nil {
		if p.err = ctx.Err(); p.err == nil && p.hurry && p.over() {
			p.err = errTime
		}
	}
	s := p.stack[ply].state
	if v, over := s.Result(); over {
		// Weighted by the remaining depth, to prefer fast wins and slow losses.
		return v[p.me] * (1 + float32(float32(depth)/1024))
	}
	if p.stall && recurs(s) {
		return towardsDraw(p.look(ctx, depth, ply, lowest, highest))
	}
	return p.look(ctx, depth, ply, alpha, beta)
}

// look is search for a state that is not terminal, without the rule for repetitions.
func (p *alphaBeta) look(ctx context.Context, depth, ply int, alpha, beta float32) float32 {
	s := p.stack[ply].state
	switch {
	case depth == 0 && p.stall:
		return evaluate(s)[p.me] + patience(s)
	case depth == 0 || p.err != nil:
		return evaluate(s)[p.me]
	}
	hash := s.Hash()
	slot := &p.table[hash&(tableSize-1)]
	first := env.Action(-1)
	if slot.hash == hash && slot.depth > 0 {
		first = slot.action
		switch {
		case int(slot.depth) != depth:
		case slot.low >= beta, slot.low == slot.high:
			return slot.low
		case slot.high <= alpha:
			return slot.high
		}
	}
	action, value := p.children(ctx, depth, ply, alpha, beta, first)
	if p.err == nil {
		*slot = entry{hash: hash, low: value, high: value, action: action, depth: int8(depth)}
		if value >= beta {
			slot.high = highest
		} else if value <= alpha {
			slot.low = lowest
		}
	}
	return value
}

// children searches the actions at distance ply, beginning with first. It returns
// the best action for the player to move and its value to me.
func (p *alphaBeta) children(ctx context.Context, depth, ply int, alpha, beta float32, first env.Action) (best env.Action, value float32) {
	s, child := p.stack[ply].state, p.stack[ply+1].state
	mine := s.Turn() == p.me
	if value = highest; mine {
		value = lowest
	}
	for _, c := range p.ordered(depth, ply, first) {
		child.CopyFrom(s)
		child.Play(c.action)
		v := p.search(ctx, depth-1, ply+1, alpha, beta)
		if mine && v > value {
			best, value, alpha = c.action, v, max(alpha, v)
		} else if !mine && v < value {
			best, value, beta = c.action, v, min(beta, v)
		}
		if alpha >= beta || p.err != nil {
			break
		}
	}
	return best, value
}

// ordered returns the legal actions at distance ply: first, then the others by their
// evaluation. The slice belongs to the frame.
func (p *alphaBeta) ordered(depth, ply int, first env.Action) []orderedAction {
	f := &p.stack[ply]
	f.legal = f.state.Legal(f.legal[:0])
	f.order = f.order[:0]
	sign := float32(1)
	if f.state.Turn() != p.me {
		sign = -1
	}
	for _, a := range f.legal {
		c := orderedAction{action: a}
		switch {
		case a == first:
			c.key = highest
		case depth > 1: // at the last ply an evaluation costs as much as the search
			child := p.stack[ply+1].state
			child.CopyFrom(f.state)
			child.Play(a)
			c.key = sign * evaluate(child)[p.me]
		}
		f.order = append(f.order, c)
	}
	slices.SortStableFunc(f.order, func(a, b orderedAction) int { return cmp.Compare(b.key, a.key) })
	return f.order
}
