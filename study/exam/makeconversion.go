package exam

import (
	"context"
	"math/rand/v2"

	"tiro/arena"
	"tiro/env"
	"tiro/selfplay"
)

// clear draws a position of a game in which the player on turn seems to win and is
// ahead by the heuristic score, if there is one.
func (r *Recipe) clear(e *selfplay.Episode, rng *rand.Rand) []candidate {
	var plies []int
	s := r.Game.New()
	expected := map[int]env.Value{}
	for i := range e.Samples {
		expected[e.Samples[i].Ply] = e.Samples[i].Value
	}
	for ply, a := range e.Actions {
		mover := s.Turn()
		if expected[ply][mover] > clearValue-0.1 && s.(env.Scorer).Score()[mover] > 0 {
			plies = append(plies, ply)
		}
		s.Play(a)
	}
	if len(plies) == 0 {
		return nil
	}
	return []candidate{{e, plies[rng.IntN(len(plies))]}}
}

// seekConversions returns the candidates that a long search takes for won and cannot
// prove.
func (r *Recipe) seekConversions(ctx context.Context, candidates []candidate) ([]*Question, error) {
	questions, states := make([]*Question, len(candidates)), make([]env.State, len(candidates))
	for i, c := range candidates {
		questions[i] = c.question(r.Game)
		states[i] = questions[i].State
	}
	err := r.engine(clearSimulations).Ask(ctx, r.Game, states, func() arena.Grader {
		return func(_ context.Context, i int, f *arena.Finding) error {
			if v := f.Searched.Value[states[i].Turn()]; v < clearValue || v == 1 {
				questions[i] = nil
			}
			return nil
		}
	})
	players := r.Game.Spec().Players
	for i, q := range questions {
		if q != nil {
			q.setValue(env.WinFor(states[i].Turn(), players), players)
		}
	}
	return questions, err
}
