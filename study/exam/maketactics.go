package exam

import (
	"context"
	"slices"

	"tiro/arena"
	"tiro/env"
	"tiro/selfplay"
)

// missable is a position of a game's winner, and what a short search plays there.
type missable struct {
	*Question
	game   int // index of the game
	played env.Action
}

// seekTactics returns positions before the ends of games in which a win is proven
// that a short search misses. What it plays instead is a mistake: longer searches do
// not expect the win after it any more. Without that, actions that win later than can
// be proven would be called wrong.
func (r *Recipe) seekTactics(ctx context.Context, games []candidate) ([]*Question, error) {
	var all []missable
	for i, g := range games {
		all = append(all, r.lastPositions(g.episode, i)...)
	}
	if err := r.playShort(ctx, all); err != nil {
		return nil, err
	}
	for _, simulations := range mistakeSimulations {
		var err error
		if all, err = r.mistakes(ctx, all, simulations); err != nil {
			return nil, err
		}
	}
	byGame := make([][]missable, len(games))
	for _, m := range all {
		byGame[m.game] = append(byGame[m.game], m)
	}
	found := make([][]*Question, len(games))
	err := spread(ctx, len(games), r.Workers, func() (work, error) {
		p := newProver(r.Game)
		return func(ctx context.Context, i int) (err error) {
			found[i], err = r.prove(ctx, p, byGame[i])
			return err
		}, nil
	})
	return slices.Concat(found...), err
}

// mistakes returns those positions in which a search does not expect the win after
// what the short search plays.
func (r *Recipe) mistakes(ctx context.Context, all []missable, simulations int) (found []missable, err error) {
	var states []env.State // after what was played
	var of []int           // indices of all
	for i, m := range all {
		after := env.After(r.Game, m.State, m.played)
		if _, over := after.Result(); !over {
			states, of = append(states, after), append(of, i)
		}
	}
	wins := make([]bool, len(all))
	err = r.engine(simulations).Ask(ctx, r.Game, states, func() arena.Grader {
		return func(_ context.Context, i int, f *arena.Finding) error {
			wins[of[i]] = f.Searched.Value[all[of[i]].State.Turn()] > mistakeValue
			return nil
		}
	})
	for i, m := range all {
		if !wins[i] {
			found = append(found, m)
		}
	}
	return found, err
}

// lastPositions returns the winner's last positions in a game, the last one first,
// leaving out those where there is nothing to find: one action only, or one that
// wins at once.
func (r *Recipe) lastPositions(e *selfplay.Episode, game int) (all []missable) {
	seat := env.Player(slices.Index(e.Result[:], 1))
	if seat < 0 {
		return nil
	}
	for ply := len(e.Actions) - 1; ply > e.Opening && len(all) < missedPlies; ply-- {
		q := candidate{e, ply}.question(r.Game)
		if q.State.Turn() == seat && len(q.State.Legal(nil)) > 1 && !winsAtOnce(r.Game, q.State) {
			all = append(all, missable{Question: q, game: game})
		}
	}
	return all
}

// winsAtOnce reports whether an action ends the game in favour of the player on turn.
func winsAtOnce(game env.Game, s env.State) bool {
	return slices.ContainsFunc(s.Legal(nil), func(a env.Action) bool {
		v, over := env.After(game, s, a).Result()
		return over && v[s.Turn()] == 1
	})
}

// playShort finds out what a short search plays.
func (r *Recipe) playShort(ctx context.Context, all []missable) error {
	states := make([]env.State, len(all))
	for i := range all {
		states[i] = all[i].State
	}
	return r.engine(missedSimulations).Ask(ctx, r.Game, states, func() arena.Grader {
		return func(_ context.Context, i int, f *arena.Finding) error {
			all[i].played = f.Searched.Action
			return nil
		}
	})
}

// prove returns the positions of a game, the last one first, in which a win is proven
// and what the short search plays is not proven to keep it. It ends with the first
// one whose win cannot be proven: those before it are harder.
func (r *Recipe) prove(ctx context.Context, p *prover, all []missable) (found []*Question, err error) {
	for _, m := range all {
		if len(found) == missedPerGame {
			break
		}
		me := m.State.Turn()
		if won, err := p.wins(ctx, m.State, me, proofNodes); !won || err != nil {
			return found, err
		}
		keeps, err := p.wins(ctx, env.After(r.Game, m.State, m.played), me, 2*proofNodes)
		if err != nil {
			return nil, err
		}
		if keeps {
			continue
		}
		if m.Right, err = r.winningActions(ctx, p, m.State); err != nil {
			return nil, err
		}
		if len(m.Right) > 0 {
			players := r.Game.Spec().Players
			m.setValue(env.WinFor(me, players), players)
			found = append(found, m.Question)
		}
	}
	return found, nil
}

// winningActions returns the actions after which a win in s is proven.
func (r *Recipe) winningActions(ctx context.Context, p *prover, s env.State) (right []env.Action, err error) {
	for _, a := range s.Legal(nil) {
		won, err := p.wins(ctx, env.After(r.Game, s, a), s.Turn(), proofNodes)
		if err != nil {
			return nil, err
		}
		if won {
			right = append(right, a)
		}
	}
	return right, nil
}
