package exam

import (
	"context"

	"tiro/env"
)

// solve returns the candidates with the value of every action.
func (r *Recipe) solve(ctx context.Context, candidates []candidate) ([]*Question, error) {
	questions := make([]*Question, len(candidates))
	game := r.Game.(env.Solvable)
	err := spread(ctx, len(candidates), r.Workers, func() (work, error) {
		judge := game.NewJudge()
		return func(ctx context.Context, i int) error {
			q := candidates[i].question(r.Game)
			if len(q.History) < earliestSolved {
				return nil
			}
			values, err := worth(ctx, judge, q.State)
			if err == nil {
				q.setValues(values)
				questions[i] = q
			}
			return err
		}, nil
	})
	return questions, err
}

// earliestSolved is the ply from which on positions are solved. Connect Four's
// earlier ones take a second and more for each action.
const earliestSolved = 14

// worth returns what each legal action of s is worth to the player on turn.
func worth(ctx context.Context, judge func(context.Context, env.State, env.Action, int) (bool, error), s env.State) (values []int, err error) {
	for _, a := range s.Legal(nil) {
		value := 1
		for ; value >= 0; value-- {
			less, err := judge(ctx, s, a, value)
			if err != nil {
				return nil, err
			}
			if !less {
				break
			}
		}
		values = append(values, value)
	}
	return values, nil
}
