package exam

import (
	"context"
	"fmt"

	"tiro/arena"
	"tiro/env"
)

// Take lets an engine answer all questions of the set, which must be about game. The result
// does not depend on the number of workers.
func (s *Set) Take(ctx context.Context, game env.Game, e arena.EngineUnderTest) (Result, error) {
	r := Result{Name: s.Name, Kind: s.Kind, Simulations: e.Search.Simulations, Positions: len(s.Questions)}
	if s.Kind == Conversion {
		c, err := s.convert(ctx, game, e)
		r.Conversion = &c
		return r, err
	}
	players := game.Spec().Players
	states := make([]env.State, len(s.Questions))
	for i := range states {
		states[i] = s.Questions[i].State
	}
	searched, alone := make([]marks, len(states)), make([]marks, len(states))
	err := e.Ask(ctx, game, states, func() arena.Grader {
		var judge judge
		if s.Judged() {
			judge = s.newJudge()
		}
		return func(ctx context.Context, i int, f *arena.Finding) (err error) {
			q := &s.Questions[i]
			if alone[i], err = q.mark(ctx, judge, &f.Alone, players); err == nil {
				searched[i], err = q.mark(ctx, judge, &f.Searched, players)
			}
			return err
		}
	})
	if err != nil {
		return r, fmt.Errorf("exam: %s: %w", s.Kind, err)
	}
	r.Searched, r.Alone = newScore(searched), newScore(alone)
	first := 2 // line after the header
	if s.Judged() {
		first = 1
	}
	for i := range s.Questions {
		q := &s.Questions[i]
		r.LeastLogLoss += q.leastLogLoss() / float64(len(states))
		if searched[i].choice && !searched[i].right {
			r.Mistakes = append(r.Mistakes, Mistake{i + first, q.State.ActionString(searched[i].action)})
		}
	}
	return r, nil
}
