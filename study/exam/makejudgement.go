package exam

import (
	"context"

	"tiro/env"
	"tiro/selfplay"
)

// judge plays on from every candidate.
func (r *Recipe) judge(ctx context.Context, candidates []candidate) ([]*Question, error) {
	questions := make([]*Question, len(candidates))
	err := spread(ctx, len(candidates), r.Workers, func() (work, error) {
		return func(ctx context.Context, i int) error {
			q := candidates[i].question(r.Game)
			counts, err := r.playOnward(ctx, q)
			if err == nil {
				q.setCounts(counts, r.Game.Spec().Players)
				questions[i] = q
			}
			return err
		}, nil
	})
	return questions, err
}

// playOnward plays games from q and counts those that each seat won, and the draws. A
// win that several seats share counts as a draw.
func (r *Recipe) playOnward(ctx context.Context, q *Question) (counts [env.MaxPlayers + 1]int, err error) {
	c := selfplay.Default()
	c.Search = search(onwardSimulations)
	c.RandomOpeningPlies, c.TemperaturePlies = 0, onwardPlies
	episodes, _, err := selfplay.Play(ctx, selfplay.Job{
		Game: from{r.Game, q.State}, Config: c, Seed: env.NewRand(r.Seed, q.State.Hash(), drawOnward).Uint64(),
		Games: onwardGames, Workers: 1, Evaluator: r.Evaluator,
	})
	for i := range episodes {
		counts[winner(&episodes[i], r.Game.Spec().Players)]++
	}
	return counts, err
}

// winner returns the seat that has won a game, or env.MaxPlayers.
func winner(e *selfplay.Episode, players int) int {
	for seat := range players {
		if e.Result[seat] == 1 {
			return seat
		}
	}
	return env.MaxPlayers
}

// from is a game that begins in another position.
type from struct {
	env.Game
	start env.State
}

func (g from) New() env.State {
	s := g.Game.New()
	s.CopyFrom(g.start)
	return s
}
