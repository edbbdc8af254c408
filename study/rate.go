package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/models/card"
	"tiro/net/kernel"
)

// matchesFile is the name of a MatchLog in a folder.
const matchesFile = "matches.json"

// Rating says how a network is rated.
type Rating struct {
	Out       string   // folder for the card; made if need be
	Anchors   []Player // fixed players to meet
	Reference Player   // fixed player that all points of the learning curve meet

	Games       int // of a match, half as many for the learning curve; rounded up to whole openings
	Simulations int // a move, of networks
	Points      int // of the learning curve; 0 for none
	Opening     int // random actions at the start of each game
	Seed        uint64
	Workers     int // games at a time; the card does not depend on it
	Backend     kernel.Backend

	Tiro     string   // version of the program, for the card
	Machine  string   // name of the processor, for the card
	Commands []string // make the network and the card again, for the card

	Disk     disk.FS                          // where Out is; nil for the machine's file system
	Progress Progress                         // may be nil
	Result   func(a, b string, r card.Rating) // called after each match, also one of the log; may be nil
}

// DefaultRating returns a rating of usual strength, without a folder and players.
func DefaultRating() Rating {
	return Rating{Games: 200, Simulations: arena.PlaySimulations, Points: 8, Opening: 4, Seed: 1, Workers: runtime.NumCPU(), Backend: kernel.Best()}
}

// DefaultAnchors returns the names of the players that networks for a game are
// rated against unless others are named. Depths of alphabeta are actions, not
// turns, and mean little where a turn is several.
func DefaultAnchors(game env.Game) []string {
	start := game.New()
	anchors := []string{"random", "greedy", "alphabeta:2", "alphabeta:4", "mcts:200", "mcts:2000"}
	if _, turns := start.(env.Turner); turns || game.Spec().Players > 2 {
		anchors = []string{"random", "greedy", "mcts:200", "mcts:1000"}
	}
	if _, scored := start.(env.Scorer); !scored {
		anchors = slices.DeleteFunc(anchors, func(name string) bool { return name == "greedy" || strings.HasPrefix(name, "alphabeta") })
	}
	return anchors
}

// Rate rates the network of a run and writes a folder with its weights and its
// card. Finished matches are kept in a MatchLog there until the card is complete,
// and matches of a card that is there already are not played again. All networks
// are read before the first match, so that the run may go on. The folder is locked
// meanwhile.
func Rate(ctx context.Context, run *Run, o Rating) (c card.Card, err error) {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	search := arena.NetworkConfig(o.Simulations)
	c = run.card()
	c.Commands = o.Commands
	c.Rated = card.Conditions{
		Tiro: o.Tiro, Machine: o.Machine, Backend: o.Backend.Name(),
		Root: search.Root, Simulations: o.Simulations, ParallelLeaves: search.ParallelLeaves,
		Opening: o.Opening, Seed: o.Seed,
	}
	if o.Out == "" {
		return c, errors.New("study: rate: no folder for the card")
	}
	unlock, err := disk.LockFolder(o.Disk, o.Out)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	log, err := openFolder(run, &o)
	if err != nil {
		return c, err
	}
	r := &rater{
		matches: matches{game: run.Game, rated: c.Rated, workers: o.Workers, log: log, progress: o.Progress},
		Rating:  o, run: run,
	}
	if err := r.rate(ctx, &c); err != nil {
		return c, err
	}
	return c, r.finish(c)
}

// openFolder returns the log of the folder of a card, with the matches of
// the card that is there.
func openFolder(run *Run, o *Rating) (*MatchLog, error) {
	path := filepath.Join(o.Out, card.File)
	var old card.Card
	data, err := disk.ReadFile(o.Disk, path, card.MaxBytes)
	if err == nil {
		if old, err = card.Read(data); err != nil {
			err = fmt.Errorf("%s: %w; move it elsewhere, or name another folder", path, err)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	log, err := OpenMatchLog(o.Disk, filepath.Join(o.Out, matchesFile))
	switch {
	case err != nil:
		return nil, err
	case old.Game != "" && old.Game != run.Config.Game:
		return nil, fmt.Errorf("%s holds a card of %s; want another folder for %s", o.Out, old.Game, run.Config.Game)
	case old.Game == "" && log.Len() == 0:
		return log, refuseForeign(o)
	}
	log.addCard(old)
	return log, nil
}

// refuseForeign returns an error if a folder without a card and without matches
// has files that a card would replace.
func refuseForeign(o *Rating) error {
	for _, name := range []string{models.WeightsFile, card.MarkdownFile} {
		switch _, err := o.Disk.Stat(filepath.Join(o.Out, name)); {
		case err == nil:
			return fmt.Errorf("%s holds %s, but no card; want another folder", o.Out, name)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// rater plays the matches of a card.
type rater struct {
	matches
	Rating
	run *Run

	number, all int // matches so far, and in all
}

// rate fills in the ratings of the card and its learning curve.
func (r *rater) rate(ctx context.Context, c *card.Card) error {
	network, err := r.checkpoint(r.run.Generation)
	if err != nil {
		return err
	}
	generations, err := r.run.points(r.Points)
	if err != nil {
		return err
	}
	points := make([]Player, len(generations))
	for i, g := range generations {
		if points[i], err = r.checkpoint(g); err != nil {
			return err
		}
	}
	for _, anchor := range r.Anchors {
		r.left += r.work(network, anchor, r.Games)
	}
	for i, player := range points {
		r.left += r.work(player, r.Reference, (r.Games+1)/2)
		if i > 0 {
			r.left += r.work(player, points[i-1], (r.Games+1)/2)
		}
	}
	r.all = len(r.Anchors) + max(0, 2*len(points)-1)
	for _, anchor := range r.Anchors {
		rating, err := r.next(ctx, network, anchor, r.Games)
		if err != nil {
			return err
		}
		c.Ratings = append(c.Ratings, rating)
	}
	for i, player := range points {
		p := card.Point{Progress: r.run.progress[generations[i]], Weights: player.key}
		if p.Reference, err = r.next(ctx, player, r.Reference, (r.Games+1)/2); err != nil {
			return err
		}
		if i > 0 {
			rating, err := r.next(ctx, player, points[i-1], (r.Games+1)/2)
			if err != nil {
				return err
			}
			p.Previous = &rating
		}
		c.Curve = append(c.Curve, p)
	}
	return nil
}

// checkpoint returns the network of a generation as a player.
func (r *rater) checkpoint(generation int) (Player, error) {
	weights, info, err := r.run.open(generation)
	if err != nil {
		return Player{}, err
	}
	name := fmt.Sprintf("generation %d", generation)
	return networkPlayer(r.game, weights, r.Backend, r.Simulations, name, info.Files[models.WeightsFile].SHA256), nil
}

// next returns the result of the next match.
func (r *rater) next(ctx context.Context, a, b Player, games int) (card.Rating, error) {
	r.number++
	rating, err := r.meet(ctx, fmt.Sprintf("match %d of %d, %s against %s", r.number, r.all, a.Name, b.Name), a, b, games)
	if err == nil && r.Result != nil {
		r.Result(a.Name, b.Name, rating)
	}
	return rating, err
}

// finish writes the folder. The card comes last, as it vouches for the rest, and
// an older one goes first, so that no card ever lies beside weights of another.
// Until then the log keeps the matches of both.
func (r *rater) finish(c card.Card) error {
	if err := r.log.Save(); err != nil {
		return err
	}
	if err := r.remove(card.File); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{models.WeightsFile, disk.Bytes(r.run.weights)},
		{card.MarkdownFile, disk.Bytes([]byte(c.Markdown()))},
		{card.File, c.Write},
	} {
		if err := save(r.Disk, filepath.Join(r.Out, file.name), file.write); err != nil {
			return err
		}
	}
	return r.remove(matchesFile)
}

// remove removes a file of the folder, if it is there.
func (r *rater) remove(name string) error {
	if err := r.Disk.Remove(filepath.Join(r.Out, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.Disk.SyncDir(r.Out)
}
