package player

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

	// Choose returns a legal action of s, which is not over and is not changed.
	// History holds the actions that led to s, not always from the game's start
	// position. All randomness comes from rng. If ctx ends first, Choose returns
	// an error that wraps ctx's. An error that is, or wraps, a *Forfeit loses the game,
	// and the match goes on; any other ends the match.
	Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error)
}

// Forfeit is the error of a Player that loses its game because it does not play it
// properly, such as another program that crashes.
type Forfeit struct {
	Seat   int    `json:"seat"`   // seat that forfeited
	Reason string `json:"reason"` // reason, for people, such as "illegal move \"e9\""
}

func (f *Forfeit) Error() string { return "forfeits the game: " + f.Reason }

// NewGamer is a Player that keeps state from one move to the next.
type NewGamer interface {
	// NewGame discards the state of the previous game.
	NewGame()
}

// Analyzer is a Player that can explain its choice.
type Analyzer interface {
	// Analysis returns what the last Choose found. The caller may keep it.
	Analysis() Analysis
}

// Counter is a Player that counts what it searches.
type Counter interface {
	// Nodes returns how many positions, or simulations, the last Choose took.
	Nodes() int
}

// Analysis is a player's evaluation of the position in which it last chose an
// action.
type Analysis struct {
	Value  env.Value // expected payoff by seat; of a search that of playing by its policy (mcts.Result.Value)
	Nodes  int       // positions searched, or simulations
	Proven bool      // the value is the exact result
	Lines  []Line    // best first; empty if the player does not compare actions
}

// Line is one action with its evaluation.
type Line struct {
	Actions []env.Action // the action, then its principal variation
	Value   env.Value    // expected payoff by seat, once the action is played
	Visits  int          // simulations through the action; 0 for players without any
	Prior   float32      // probability by the evaluator alone; 0 for players without one
}

// BestValue returns the expected payoff by seat once the action is played that
// the player has chosen. That is what to show beside the action: Value counts the
// other actions, too, as far as the player would play them.
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

// greedy looks one action ahead: it takes a winning action if there is one, otherwise the
// one after which the game's heuristic score (env.Scorer) is best for it. Ties are broken
// at random.
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

// evaluate returns the payoffs of a finished game, otherwise the game's
// heuristic score, or 0 if it has none. Scores lie in (-1, 1), so that a win
// beats them all.
func evaluate(s env.State) env.Value {
	if v, over := s.Result(); over {
		return v
	}
	if scorer, ok := s.(env.Scorer); ok {
		return scorer.Score()
	}
	return env.Value{}
}
