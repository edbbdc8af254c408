package exam

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"tiro/arena"
	"tiro/env"
	"tiro/player"
)

// Conversions is the result of games from won positions.
type Conversions struct {
	Won      int            `json:"won"`          // games won in time
	Interval arena.Interval `json:"won_interval"` // 95% interval of won / positions
	Plies    float64        `json:"plies"`        // mean length of the games won
	Endings  map[string]int `json:"endings"`      // other games, by the rule that ended them
	Lost     int            `json:"lost"`         // games lost
}

// tooLong is the ending of a game that was not won in time.
const tooLong = "too-long"

// conversion is the result of one game.
type conversion struct {
	payoff float32 // payoff of the player with the won position
	ending string  // rule that ended the game, or tooLong
	plies  int
}

// convert lets the engine play all positions to the end against the set's defender. The first
// error ends it.
func (s *Set) convert(ctx context.Context, game env.Game, e arena.EngineUnderTest) (c Conversions, err error) {
	e.Search.Simulations = max(e.Search.Simulations, 1)
	defender, err := player.Plain(game, s.Defender)
	if err != nil {
		return c, fmt.Errorf("exam: %s: %w", s.Kind, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	games := make([]conversion, len(s.Questions))
	var next atomic.Int64
	work := func() error {
		attacker, err := player.NewSearcher("engine", game, e.Search, e.Evaluator())
		if err != nil {
			return err
		}
		other, err := defender.New()
		for i := int(next.Add(1)) - 1; i < len(games) && err == nil && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			if games[i], err = s.playOut(ctx, game, i, attacker, other); err == nil && e.Answered != nil {
				e.Answered()
			}
		}
		return err
	}
	var workers sync.WaitGroup
	for range min(max(e.Workers, 1), len(games)) {
		workers.Go(func() {
			if err := work(); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return c, fmt.Errorf("exam: %s: %w", s.Kind, err)
	}
	return newConversions(games), nil
}

// playOut plays from question i until the game is over or s.Plies is reached.
func (s *Set) playOut(ctx context.Context, game env.Game, i int, attacker *player.Searcher, defender player.Player) (c conversion, err error) {
	q := &s.Questions[i]
	state, history := env.After(game, q.State), slices.Clone(q.History)
	winner, rng := q.State.Turn(), env.NewRand(uint64(i))
	attacker.NewGame()
	if p, ok := defender.(player.NewGamer); ok {
		p.NewGame()
	}
	for ; ; c.plies++ {
		if v, over := state.Result(); over {
			c.payoff = v[winner]
			c.ending = env.Ending(state)
			return c, nil
		}
		if c.plies == s.Plies {
			c.ending = tooLong
			return c, nil
		}
		var p player.Player = attacker
		if state.Turn() != winner {
			p = defender
		}
		a, err := p.Choose(ctx, state, history, rng)
		if err != nil {
			return c, err
		}
		history = append(history, a)
		state.Play(a)
	}
}

func newConversions(games []conversion) Conversions {
	c := Conversions{Endings: map[string]int{}}
	for _, g := range games {
		switch {
		case g.payoff == 1:
			c.Won++
			c.Plies += float64(g.plies)
			continue
		case g.payoff < 0:
			c.Lost++
		}
		c.Endings[g.ending]++
	}
	c.Plies /= float64(max(c.Won, 1))
	c.Interval = arena.WilsonInterval(float64(c.Won), float64(len(games)))
	return c
}
