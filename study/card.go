package study

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/mcts"
	"tiro/models"
	"tiro/models/card"
	"tiro/study/ladder"
)

// RatedCard returns the card of the run's checkpoint with its results and the learning
// curve in a report of ratings, which must have the checkpoint among its candidates.
// Machine is the processor that played.
func (r *Run) RatedCard(ctx context.Context, report *ladder.Report, machine string) (c card.Card, err error) {
	c = r.card()
	player := slices.IndexFunc(report.Players, func(s ladder.Standing) bool { return s.Candidate && s.Player.Weights == c.Weights.SHA256 })
	if player < 0 {
		return c, errors.New("study: card: the network is not among the candidates")
	}
	who := report.Players[player]
	c.Rated = card.Conditions{Tiro: report.Tiro, Machine: machine, Backend: report.Backend, Opening: report.Opening, Anchor: report.Anchor}
	search := who.Player.Search
	c.Rated.Simulations, search.Simulations = search.Simulations, 0
	if c.Rated.Search, err = configs.Assignments(&mcts.Config{}, &search); err != nil {
		return c, fmt.Errorf("study: card: %s: %w", who.Name, err)
	}
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

// curve returns the rated checkpoints of the run up to its own, which a player of the
// report is.
func (r *Run) curve(report *ladder.Report, player int) (all []card.Point) {
	own := report.Players[player]
	for _, s := range report.Players {
		p := s.Checkpoint
		if s.Candidate && p != nil && own.Checkpoint != nil && p.Run == own.Checkpoint.Run && p.Generation < r.Generation {
			all = append(all, card.Point{Progress: r.progress[p.Generation], Weights: s.Player.Weights, Elo: eloOf(s.Elo)})
		}
	}
	all = append(all, card.Point{Progress: r.progress[r.Generation], Weights: own.Player.Weights, Elo: eloOf(own.Elo)})
	slices.SortStableFunc(all, func(a, b card.Point) int { return a.Generation - b.Generation })
	return all
}

// eloOf returns an interval of Elo for a card.
func eloOf(x arena.Interval) card.Elo {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return card.Elo{Value: finite(x.Value), Low: finite(x.Low), High: finite(x.High)}
}

// SaveCard writes a folder with the weights of the run's checkpoint and its card. The card
// comes last, as it vouches for the rest, and an older one is set aside first, so that no
// card is ever beside weights of another. Other files of these names are refused.
func (r *Run) SaveCard(fsys disk.FS, dir string, c card.Card) (err error) {
	unlock, err := disk.LockFolder(fsys, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	path := filepath.Join(dir, card.File)
	older := path + ".old" // of a call that was interrupted, unless this one makes it
	if err := r.setAside(fsys, dir, older, c.Game); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{models.WeightsFile, disk.Bytes(r.weights)},
		{card.MarkdownFile, disk.Bytes([]byte(c.Markdown()))},
		{card.File, c.Write},
	} {
		if err := save(fsys, filepath.Join(dir, file.name), file.write); err != nil {
			return err
		}
	}
	if err := fsys.Remove(older); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fsys.SyncDir(dir)
}

// setAside renames the card of a game in a folder, if there is one. It refuses a folder with
// other weights, for which no card vouches.
func (r *Run) setAside(fsys disk.FS, dir, older, game string) error {
	path := filepath.Join(dir, card.File)
	data, err := disk.ReadFile(fsys, path, card.MaxBytes)
	if err == nil {
		if old, err := card.Read(data); err != nil || old.Game != game {
			return errors.Join(err, fmt.Errorf("%s is not a card of %s; want another folder", path, game))
		}
		return errors.Join(fsys.Rename(path, older), fsys.SyncDir(dir))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := fsys.Stat(older); !errors.Is(err, fs.ErrNotExist) {
		return err // nil: that card vouches
	}
	weights := filepath.Join(dir, models.WeightsFile)
	data, err = disk.ReadFile(fsys, weights, int64(len(r.weights)))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = fsys.Stat(filepath.Join(dir, card.MarkdownFile)); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		weights = filepath.Join(dir, card.MarkdownFile)
	} else if err == nil && bytes.Equal(data, r.weights) { // of a call that was interrupted
		return nil
	}
	return fmt.Errorf("%s is there, but no card; want another folder", weights)
}
