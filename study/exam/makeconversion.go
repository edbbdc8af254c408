package exam

import (
	"context"

	"tiro/arena"
	"tiro/env"
	"tiro/selfplay"
)

// clear returns the first position of a game, if any, in which the player on turn seems
// to win and is clearly ahead by the heuristic score.
func (r *Recipe) clear(e *selfplay.Episode) []candidate {
	s := r.Game.New()
	samples := e.Samples
	for ply, a := range e.Actions {
		mover := s.Turn()
		for len(samples) > 0 && samples[0].Ply < ply {
			samples = samples[1:]
		}
		seems := len(samples) > 0 && samples[0].Ply == ply && samples[0].Value[mover] >= clearValue
		if seems && s.(env.Scorer).Score()[mover] >= clearScore {
			return []candidate{{e, ply}}
		}
		s.Play(a)
	}
	return nil
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
