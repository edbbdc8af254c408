package arena

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"tiro/env"
)

// MaxDepth is the deepest search that AlphaBeta takes.
const MaxDepth = 64

// AlphaBeta makes players that search depth actions ahead (not turns: a turn
// may hold several actions) and judge the last position by the game's own
// score, or as even if it has none. Of equally good actions they take any.
//
// With more than two seats the others are taken to play together against the
// player ("paranoid" search: Sturtevant and Korf 2000, "On pruning techniques
// for multi-player games", section 3), which lets alpha-beta prune as for two.
// Whether a node is a maximum or a minimum depends on whose turn it is, not on
// its distance from the root.
func AlphaBeta(game env.Game, depth int) PlayerFactory {
	return func() (Player, error) {
		if depth < 1 || depth > MaxDepth {
			return nil, fmt.Errorf("alphabeta: depth %d; want 1 to %d", depth, MaxDepth)
		}
		p := &alphaBeta{depth: depth, players: game.Spec().Players, levels: make([]level, depth+1), table: make([]entry, tableSize)}
		for i := range p.levels {
			p.levels[i].state = game.New()
		}
		return p, nil
	}
}

type alphaBeta struct {
	depth   int
	players int
	me      env.Player
	levels  []level // by distance from the root, depth+1
	table   []entry
	nodes   int
	best    env.Action
	value   float32 // of best, to me
	err     error   // why the search gave up
}

var (
	_ Player   = (*alphaBeta)(nil)
	_ Analyzer = (*alphaBeta)(nil)
)

// level is the memory of one level of the recursion.
type level struct {
	state env.State
	legal []env.Action
	order []candidate
}

type candidate struct {
	action env.Action
	key    float32 // the judgement after it, of whoever chooses; larger is tried earlier
}

// tableSize is the number of entries of the transposition table, a power of
// two. It changes the time of a search, not the value it returns.
const tableSize = 1 << 16

// entry is what an earlier visit of a position found. A visit uses it only if
// it looks equally far, so that a search with the table returns the same value
// as one without.
type entry struct {
	hash   uint64
	value  float32
	action env.Action // the best, or the one that cut off
	depth  int8       // actions that were looked ahead; 0: the entry is empty
	bound  bound      // what value is to the true one
}

type bound int8

const (
	exact bound = iota
	atLeast
	atMost
)

// Bounds of the window at the root, beyond every value.
const (
	lowest  = -4
	highest = 4
)

func (p *alphaBeta) Name() string { return "alphabeta:" + strconv.Itoa(p.depth) }

func (p *alphaBeta) Choose(ctx context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	p.err, p.nodes, p.me = ctx.Err(), 0, s.Turn()
	clear(p.table)
	p.levels[0].state.CopyFrom(s)

	// The root's order is random, then the best of the last depth comes first.
	// An equal that comes later does not replace the best.
	legal := s.Legal(nil)
	rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
	for depth := 1; depth <= p.depth; depth++ {
		best, value := p.root(ctx, legal, depth)
		if p.err != nil {
			return 0, fmt.Errorf("arena: %s: %w", p.Name(), p.err)
		}
		p.best, p.value = best, value
		i := slices.Index(legal, best)
		copy(legal[1:i+1], legal[:i])
		legal[0] = best
	}
	return p.best, nil
}

// Analysis implements Analyzer. Of the others' payoffs only the sum is known; it
// is shown in even shares.
func (p *alphaBeta) Analysis() Analysis {
	own := max(-1, min(1, p.value))
	t := Analysis{Nodes: p.nodes, Lines: []Line{{Actions: []env.Action{p.best}, Value: own}}}
	for i := range p.players {
		t.Value[i] = -own / float32(p.players-1)
	}
	t.Value[p.me] = own
	return t
}

// root returns the best of the legal actions and its value to me, looking
// depth actions ahead.
func (p *alphaBeta) root(ctx context.Context, legal []env.Action, depth int) (best env.Action, value float32) {
	value = lowest
	for _, a := range legal {
		child := p.levels[1].state
		child.CopyFrom(p.levels[0].state)
		child.Play(a)
		if v := p.search(ctx, depth-1, 1, value, highest); v > value {
			best, value = a, v
		}
	}
	return best, value
}

// search returns the value to me of the state at a level, looking depth
// actions ahead: exact between alpha and beta, otherwise a bound (fail-soft;
// Knuth and Moore 1975, "An analysis of alpha-beta pruning").
func (p *alphaBeta) search(ctx context.Context, depth, at int, alpha, beta float32) float32 {
	if p.nodes++; p.nodes%1024 == 0 && p.err == nil {
		p.err = ctx.Err()
	}
	s := p.levels[at].state
	if v, over := s.Result(); over {
		// A little more the sooner it comes: win fast, lose late.
		return v[p.me] * (1 + float32(depth)/1024)
	}
	if depth == 0 || p.err != nil {
		return judge(s)[p.me]
	}
	hash := s.Hash()
	slot := &p.table[hash&(tableSize-1)]
	known := *slot
	if known.hash == hash && int(known.depth) == depth {
		switch {
		case known.bound == exact,
			known.bound == atLeast && known.value >= beta,
			known.bound == atMost && known.value <= alpha:
			return known.value
		}
	}
	if known.hash != hash || known.depth == 0 {
		known.action = -1
	}
	action, value := p.children(ctx, depth, at, alpha, beta, known.action)
	if p.err == nil {
		*slot = entry{hash: hash, value: value, action: action, depth: int8(depth), bound: exact}
		if value >= beta {
			slot.bound = atLeast
		} else if value <= alpha {
			slot.bound = atMost
		}
	}
	return value
}

// children searches the actions of the state at a level, first tried first,
// and returns the best for whoever is on turn and its value to me.
func (p *alphaBeta) children(ctx context.Context, depth, at int, alpha, beta float32, first env.Action) (best env.Action, value float32) {
	s, child := p.levels[at].state, p.levels[at+1].state
	mine := s.Turn() == p.me
	if value = highest; mine {
		value = lowest
	}
	for _, c := range p.ordered(depth, at, first) {
		child.CopyFrom(s)
		child.Play(c.action)
		v := p.search(ctx, depth-1, at+1, alpha, beta)
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

// ordered returns the legal actions of the state at a level, the promising
// ones first, in memory of that level.
func (p *alphaBeta) ordered(depth, at int, first env.Action) []candidate {
	l := &p.levels[at]
	l.legal = l.state.Legal(l.legal[:0])
	l.order = l.order[:0]
	sign := float32(1)
	if l.state.Turn() != p.me {
		sign = -1
	}
	for _, a := range l.legal {
		c := candidate{action: a}
		switch {
		case a == first:
			c.key = highest
		case depth > 1: // at the last level judging would cost as much as searching
			child := p.levels[at+1].state
			child.CopyFrom(l.state)
			child.Play(a)
			c.key = sign * judge(child)[p.me]
		}
		l.order = append(l.order, c)
	}
	slices.SortStableFunc(l.order, func(a, b candidate) int { return cmp.Compare(b.key, a.key) })
	return l.order
}
