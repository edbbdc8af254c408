package study

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/mcts"
	"tiro/models"
	"tiro/models/card"
	"tiro/study/ladder"
)

// RatedCard returns the card of the run's checkpoint, with its results and the learning curve
// from a report of ratings. The checkpoint must be one of the report's candidates. machine is
// the processor that played.
func (r *Run) RatedCard(ctx context.Context, report *ladder.Report, machine string) (c card.Card, err error) {
	c = r.card()
	player := slices.IndexFunc(report.Players, func(s ladder.Standing) bool { return s.Candidate && s.Player.Weights == c.Weights.SHA256 })
	if player < 0 {
		return c, errors.New("study: card: the network is not among the candidates")
	}
	who := report.Players[player]
	c.Rated = card.Setup{Tiro: report.Tiro, Machine: machine, Backend: report.Backend, Opening: report.Opening, Anchor: report.Anchor}
	search := who.Player.Search
	c.Rated.Simulations, search.Simulations = search.Simulations, 0
	if search.Root != mcts.RootPUCT {
		search.PUCT = mcts.PUCT{} // unused
	}
	c.Rated.Search = configs.Assignments(&mcts.Config{}, &search)
	met, err := report.Against(ctx, r.Game, player)
	if err != nil {
		return c, err
	}
	for _, m := range met {
		p := m.Players[0]
		c.Ratings = append(c.Ratings, card.Result{
			Opponent: m.Opponent, Games: m.Games, Distinct: m.Distinct, Wins: p.Wins, Draws: p.Draws, Losses: p.Losses,
			Score: card.Interval(p.Score), EqualScore: p.EqualScore, Elo: eloOf(p.Elo[1]),
		})
	}
	c.Curve = r.curve(report, player)
	return c, nil
}

// curve returns the learning curve: the rated checkpoints of the run up to its own, which is
// the given player of the report, with its settings.
func (r *Run) curve(report *ladder.Report, player int) (all []card.Point) {
	own := report.Players[player]
	for _, s := range report.Players {
		if s.Candidate && s.SameRun(&own) && s.Curve() == own.Curve() && s.Checkpoint.Generation < r.Generation {
			all = append(all, card.Point{Effort: r.costs[s.Checkpoint.Generation].Effort, Weights: s.Player.Weights, Elo: eloOf(s.Elo)})
		}
	}
	all = append(all, card.Point{Effort: r.costs[r.Generation].Effort, Weights: own.Player.Weights, Elo: eloOf(own.Elo)})
	slices.SortStableFunc(all, func(a, b card.Point) int { return a.Generation - b.Generation })
	return all
}

// eloOf converts an interval of Elo for a card.
func eloOf(x arena.Interval) card.Elo {
	return card.Elo{Value: arena.Finite(x.Value), Low: arena.Finite(x.Low), High: arena.Finite(x.High)}
}

// SaveCard writes a folder with the weights of the run's checkpoint and its card. It replaces
// an older card of the same game.
func (r *Run) SaveCard(fsys disk.FS, dir string, c card.Card) error {
	var text bytes.Buffer
	if err := c.Write(&text); err != nil {
		return err
	}
	return card.Save(fsys, dir, map[string][]byte{
		models.WeightsFile: r.weights, card.MarkdownFile: []byte(c.Markdown()), card.File: text.Bytes(),
	}, func(older card.Card) bool { return older.Game == c.Game })
}
