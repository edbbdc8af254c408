package play

import (
	"context"
	"math/rand/v2"
	"slices"

	"tiro/env"
	"tiro/mcts"
	"tiro/player"
)

// NewPlayer returns the engine as a player of a Terminal. It searches with the configuration
// c like an Engine with go nodes, so that both choose the same moves and show the same values.
// It evaluates positions with e, which the caller must not use afterwards.
func NewPlayer(name string, game env.Game, c mcts.Config, e mcts.Evaluator) (*player.Searcher, error) {
	return player.NewSearcher(name, game, within(game, c, DefaultHash), e)
}

// within returns c with the maximum number of nodes for a tree of hash MiB.
func within(game env.Game, c mcts.Config, hash int) mcts.Config {
	return c.Within(game, int64(hash)<<20)
}

// thinking is the choice of a complete turn: all actions until the next player's turn.
type thinking struct {
	game    env.Game
	player  player.Player
	state   env.State                      // state at the start of the turn or of the rest of it
	history []env.Action                   // actions that led to state
	rng     func(plies int) *rand.Rand     // returns the generator of the decision after plies actions
	only    [][]env.Action                 // turns to consider; none: all
	watch   func()                         // called after every few simulations; may be nil
	decided func(analysis player.Analysis) // called after each decision of an Analyzer; may be nil

	turn    []env.Action // actions decided so far
	nodes   int          // simulations spent on them
	stopped bool         // whether a session's user has stopped the player
}

// run chooses the turn. If ctx ends, it takes the best actions found so far and completes the
// turn with few simulations. If the player does not search, run instead returns ctx's error
// wrapped, like every other error of the player.
func (t *thinking) run(ctx context.Context) error {
	at := env.After(t.game, t.state)
	for {
		a, err := t.choose(ctx, at)
		if err == nil {
			err = env.CheckAction(at, a)
		}
		if err != nil {
			return err
		}
		if p, ok := t.player.(player.Analyzer); ok {
			analysis := p.Analysis()
			if t.decided != nil {
				t.decided(analysis)
			}
			t.nodes += analysis.Nodes
		}
		t.turn = append(t.turn, a)
		at.Play(a)
		if !env.MidTurn(at) {
			return nil
		}
	}
}

// choose returns the player's next action in the position at.
func (t *thinking) choose(ctx context.Context, at env.State) (env.Action, error) {
	history := slices.Concat(t.history, t.turn)
	rng := t.rng(len(history))
	p, searches := t.player.(*player.Searcher)
	if !searches {
		return t.player.Choose(ctx, at, history, rng)
	}
	p.Restrict(t.allowed())
	if ctx.Err() != nil && len(t.turn) > 0 {
		n := p.Simulations()
		p.SetSimulations(min(n, player.FurtherSimulations))
		defer p.SetSimulations(n)
		ctx = context.WithoutCancel(ctx)
	}
	if err := p.Think(ctx, at, history, rng, t.watch); err != nil && ctx.Err() == nil {
		return 0, err
	}
	return p.Analysis().Lines[0].Actions[0], nil
}

// allowed returns the next actions of the turns to consider, nil for all.
func (t *thinking) allowed() (some []env.Action) {
	for _, turn := range t.only {
		if n := len(t.turn); n < len(turn) && slices.Equal(turn[:n], t.turn) && !slices.Contains(some, turn[n]) {
			some = append(some, turn[n])
		}
	}
	return some
}
