package player

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tiro/env"
)

// Player chooses actions for one seat. It must be used by one goroutine at a time. If it
// implements io.Closer, the caller that made it must close it.
type Player interface {
	// Name returns the player's name in reports, such as "mcts:400".
	Name() string

	// Choose returns a legal action of s, which must not be over and is not changed.
	// history holds the actions that led to s, not always from the game's start
	// position. All randomness comes from rng. If ctx ends first, Choose returns
	// an error that wraps ctx's. An error that is or wraps a *Forfeit loses the game
	// and continues the match; any other error ends the match.
	Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error)
}

// Forfeit is the error of a Player that loses its game because it cannot continue, for
// example because another program crashed.
type Forfeit struct {
	Seat   int    `json:"seat"`   // seat that forfeited
	Reason string `json:"reason"` // reason as text, such as "illegal move \"e9\""
}

func (f *Forfeit) Error() string { return "forfeits the game: " + f.Reason }

// NewGamer is a Player that keeps state between moves.
type NewGamer interface {
	// NewGame discards the state of the previous game.
	NewGame()
}

// Analyzer is a Player that can explain its choice.
type Analyzer interface {
	// Analysis returns the findings of the last Choose. The caller may keep it.
	Analysis() Analysis
}

// Counter is a Player that counts its nodes.
type Counter interface {
	// Nodes returns the number of positions or simulations of the last Choose.
	Nodes() int
}

// Analysis is a player's evaluation of the position in which it last chose an
// action.
type Analysis struct {
	Value  env.Value // expected payoff by seat; a search's value is averaged over its policy (mcts.Result.Value)
	Nodes  int       // positions or simulations
	Proven bool      // whether the value is the exact result
	Lines  []Line    // best first; empty if the player does not compare actions
}

// Line is one action with its evaluation.
type Line struct {
	Actions []env.Action // the action, then its principal variation
	Value   env.Value    // expected payoff by seat after the action
	Visits  int          // simulations through the action; 0 for players without simulations
	Prior   float32      // evaluator's probability without search; 0 for players without an evaluator
}

// BestValue returns the expected payoff by seat after the chosen action. Unlike Value,
// which also includes the other actions, it is the value to show beside the action.
func (a Analysis) BestValue() env.Value {
	if len(a.Lines) == 0 {
		return a.Value
	}
	return a.Lines[0].Value
}

// random chooses uniformly among the legal actions.
type random struct {
	name  string
	legal []env.Action
}

func (p *random) Name() string { return p.name }

func (p *random) Choose(_ context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	p.legal = s.Legal(p.legal[:0])
	return p.legal[rng.IntN(len(p.legal))], nil
}

// needScore returns an error if game has no heuristic score.
func needScore(game env.Game) error {
	if _, ok := game.New().(env.Scorer); !ok {
		return fmt.Errorf("%s has no heuristic score (random, alphabeta and mcts need none)", game.Spec().Name)
	}
	return nil
}

// greedy looks one action ahead. It takes a winning action if there is one, and otherwise the
// action with the best heuristic score (env.Scorer) after it. It breaks ties at random.
type greedy struct {
	name  string
	next  env.State
	legal []env.Action
}

func (p *greedy) Name() string { return p.name }

func (p *greedy) Choose(_ context.Context, s env.State, _ []env.Action, rng *rand.Rand) (env.Action, error) {
	me := s.Turn()
	p.legal = s.Legal(p.legal[:0])
	best, value, equals := p.legal[0], float32(0), 0
	for _, a := range p.legal {
		p.next.CopyFrom(s)
		p.next.Play(a)
		switch v := evaluate(p.next)[me]; {
		case equals == 0 || v > value:
			best, value, equals = a, v, 1
		case v == value:
			// Each of n equals is kept with probability 1/n.
			if equals++; rng.IntN(equals) == 0 {
				best = a
			}
		}
	}
	return best, nil
}

// evaluate returns the payoffs of a finished game. Otherwise it returns the game's
// heuristic score, which is in (-1, 1), or 0 if there is none.
func evaluate(s env.State) env.Value {
	if v, over := s.Result(); over {
		return v
	}
	if scorer, ok := s.(env.Scorer); ok {
		return scorer.Score()
	}
	return env.Value{}
}
