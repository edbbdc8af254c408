// Package perft counts the sequences of turns that the rules of a game allow, which is the
// usual check of a move generator.
//
//	total, first, err := perft.Count(ctx, perft.Of(game, game.New()), 5, runtime.NumCPU())
//
// A game can define its turns for this purpose (env.TurnCounter). Otherwise, a turn is the
// sequence of actions up to the next change of the player on turn, and turns with different
// actions are different even if they lead to the same position.
package perft

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tiro/env"
)

// First is a first turn.
type First struct {
	Move      string
	Sequences uint64 // number of sequences that begin with Move
}

// Count returns the number of sequences of depth turns from start, in total and by first
// turn, sorted by name. It uses the given number of threads, each counting one first turn
// at a time.
func Count(ctx context.Context, start env.TurnCounter, depth, threads int) (total uint64, firsts []First, err error) {
	if depth == 0 {
		return 1, nil, nil
	}
	turns := start.Divide()
	firsts = make([]First, len(turns))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(threads, len(turns)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(turns); i = int(next.Add(1)) - 1 {
				firsts[i] = First{turns[i].Move, count(ctx, turns[i].After, depth-1)}
			}
		})
	}
	workers.Wait()
	for _, f := range firsts {
		total += f.Sequences
	}
	slices.SortFunc(firsts, func(a, b First) int { return strings.Compare(a.Move, b.Move) })
	return total, firsts, context.Cause(ctx)
}

// uninterrupted is the greatest depth that is counted without checking the context.
const uninterrupted = 3

// count returns the number of sequences of depth turns from p.
func count(ctx context.Context, p env.TurnCounter, depth int) (n uint64) {
	if ctx.Err() != nil {
		return 0
	}
	if depth <= uninterrupted {
		return p.Perft(depth)
	}
	for _, t := range p.Divide() {
		n += count(ctx, t.After, depth-1)
	}
	return n
}

// Of returns s if it is an env.TurnCounter, and otherwise a counter of its actions.
func Of(game env.Game, s env.State) env.TurnCounter {
	if c, ok := s.(env.TurnCounter); ok {
		return c
	}
	return actions{game, s}
}

// actions counts turns as sequences of legal actions.
type actions struct {
	game  env.Game
	state env.State
}

// endsTurn reports whether the action between two positions completed a turn: whether the
// player on turn changed or the game is over.
func endsTurn(before, after env.State) bool {
	_, over := after.Result()
	return over || after.Turn() != before.Turn()
}

// Divide implements env.TurnCounter.
func (c actions) Divide() (turns []env.CountedTurn) {
	var extend func(s env.State, move string)
	extend = func(s env.State, move string) {
		for _, a := range s.Legal(nil) {
			next := env.After(c.game, s, a)
			name := move + s.ActionString(a)
			if endsTurn(s, next) {
				turns = append(turns, env.CountedTurn{Move: name, After: actions{c.game, next}})
			} else {
				extend(next, name+",")
			}
		}
	}
	extend(c.state, "")
	return turns
}

// Perft implements env.TurnCounter.
func (c actions) Perft(depth int) (n uint64) {
	if depth <= 0 {
		return 1
	}
	next := c.game.New()
	for _, a := range c.state.Legal(nil) {
		next.CopyFrom(c.state)
		next.Play(a)
		left := depth
		if endsTurn(c.state, next) {
			left--
		}
		n += actions{c.game, next}.Perft(left)
	}
	return n
}
