package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tiro/env"
)

// Player chooses actions for one seat. It belongs to one goroutine. A player
// that holds resources is an io.Closer, and whoever had it made closes it.
type Player interface {
	// Name returns what reports call the player, such as "mcts:400".
	Name() string

	// Choose returns a legal action of s, which is not over and which it does
	// not change. The actions of the game so far are in history; where they
	// started is the player's to find out, if it cares. All randomness comes
	// from rng. If ctx ends first, it returns an error that wraps ctx's.
	Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error)
}

// NewGamer is a Player that keeps something from one move to the next.
type NewGamer interface {
	// NewGame forgets everything about the game before.
	NewGame()
}

// Analyzer is a Player that can say what it thought.
type Analyzer interface {
	// Analysis returns what the last Choose found. The caller may keep it.
	Analysis() Analysis
}

// Analysis is a player's judgement of the position it last chose an action in.
type Analysis struct {
	Value  env.Value // expected payoff by seat
	Nodes  int       // positions looked at, or simulations
	Proven bool      // the value is certain
	Lines  []Line    // the best first; empty if the player does not compare actions
}

// Line is one action and what is expected after it.
type Line struct {
	Actions []env.Action // the action, then the likely continuation
	Value   float32      // expected payoff of the player on turn, -1..1
	Visits  int          // simulations that went there; 0 where this means nothing
}

// PlayerFactory makes a player. It may be called any number of times.
type PlayerFactory func() (Player, error)

// Random makes players that take every legal action equally often.
func Random() PlayerFactory {
	return func() (Player, error) { return &random{}, nil }
}

type random struct{ legal []env.Action }

var _ Player = (*random)(nil)

func (p *random) Name() string { return "random" }

func (p *random) Choose(_ context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	p.legal = s.Legal(p.legal[:0])
	return p.legal[rng.IntN(len(p.legal))], nil
}

// Greedy makes players that look one action ahead: they take a winning action
// if there is one, otherwise the one after which the game's own score is best
// for them, and of equals any. Making one fails for a game without a score.
func Greedy(game env.Game) PlayerFactory {
	return func() (Player, error) {
		next := game.New()
		if _, ok := next.(env.Scorer); !ok {
			return nil, fmt.Errorf("greedy: %s has no score of a position to go by; want random, mcts or alphabeta", game.Spec().Name)
		}
		return &greedy{next: next}, nil
	}
}

type greedy struct {
	next  env.State
	legal []env.Action
}

var _ Player = (*greedy)(nil)

func (p *greedy) Name() string { return "greedy" }

func (p *greedy) Choose(_ context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	me := s.Turn()
	p.legal = s.Legal(p.legal[:0])
	best, value, equals := p.legal[0], float32(0), 0
	for _, a := range p.legal {
		p.next.CopyFrom(s)
		p.next.Play(a)
		switch v := judge(p.next)[me]; {
		case equals == 0 || v > value:
			best, value, equals = a, v, 1
		case v == value:
			// Each of n equals is kept with chance 1/n.
			if equals++; rng.IntN(equals) == 0 {
				best = a
			}
		}
	}
	return best, nil
}

// judge returns the payoffs of a finished game, otherwise the game's own
// score, otherwise 0. Scores lie in (-1, 1), so that a win beats them all.
func judge(s env.State) env.Value {
	if v, over := s.Result(); over {
		return v
	}
	if scorer, ok := s.(env.Scorer); ok {
		return scorer.Score()
	}
	return env.Value{}
}
