package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/disk"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net"
)

// matchesFile holds the finished matches of a card that is under way.
const matchesFile = "matches.json"

// rater plays the matches of a card, and keeps those that are finished.
type rater struct {
	o     *cardOptions
	s     *subject
	rated card.Conditions
	kept  card.Matches
	meter *meter
	out   io.Writer // one line a match

	number, all int // matches so far, and in all
}

// contender is a player of a match.
type contender struct {
	name  string // in the card
	key   string // in a card.Pairing
	maker arena.PlayerFactory
}

// newRater makes the folder of a card and reads the matches that are kept there.
func newRater(cmd *cobra.Command, o *cardOptions, s *subject, rated card.Conditions) (*rater, error) {
	r := &rater{o: o, s: s, rated: rated, meter: newMeter(cmd.ErrOrStderr()), out: cmd.OutOrStdout()}
	if err := disk.MkdirAll(o.disk, o.out); err != nil {
		return nil, err
	}
	finished, err := readKept(o, bundled.CardFile, card.Read)
	if err != nil {
		return nil, err
	}
	matches, err := readKept(o, matchesFile, card.ReadMatches)
	if err != nil {
		return nil, err
	}
	if err := r.refuseForeign(finished, matches); err != nil {
		return nil, err
	}
	r.keep(finished.Finished())
	r.keep(matches)
	return r, nil
}

// refuseForeign returns an error for a folder whose files are not to be replaced.
func (r *rater) refuseForeign(c card.Card, m card.Matches) error {
	if c.Game != "" && c.Game != r.s.config.Game {
		return fmt.Errorf("%s holds a card of %s; want another folder for %s", r.o.out, c.Game, r.s.config.Game)
	}
	if c.Game != "" || len(m.Matches) > 0 {
		return nil
	}
	for _, name := range []string{bundled.WeightsFile, bundled.MarkdownFile} {
		switch _, err := r.o.disk.Stat(filepath.Join(r.o.out, name)); {
		case err == nil:
			return fmt.Errorf("%s holds %s, but no card; want another folder", r.o.out, name)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// readKept reads a file of the folder; what is not there is empty.
func readKept[T any](o *cardOptions, name string, read func([]byte) (T, error)) (kept T, err error) {
	path := filepath.Join(o.out, name)
	data, err := disk.ReadFile(o.disk, path, card.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	if kept, err = read(data); err != nil {
		return kept, fmt.Errorf("%s: %w; move it elsewhere, or name another folder", path, err)
	}
	return kept, nil
}

// keep adds matches to those that are kept.
func (r *rater) keep(m card.Matches) {
	for _, match := range m.Matches {
		if _, ok := r.kept.Find(match.Pairing); !ok {
			r.kept.Matches = append(r.kept.Matches, match)
		}
	}
}

// point is a checkpoint of the learning curve.
type point struct {
	contender
	progress card.Progress
}

// rate fills in the ratings of the card and its learning curve. Networks are read
// before the first match: a run that goes on may remove them while there are
// matches.
func (r *rater) rate(ctx context.Context, c *card.Card, anchors []contender, yardstick contender) error {
	model, err := r.checkpoint(r.s.generation)
	if err != nil {
		return err
	}
	points, err := r.points()
	if err != nil {
		return err
	}
	r.all = len(anchors) + max(0, 2*len(points)-1)
	for _, anchor := range anchors {
		rating, err := r.meet(ctx, model, anchor, r.o.games)
		if err != nil {
			return err
		}
		c.Ratings = append(c.Ratings, rating)
	}
	return r.rateCurve(ctx, c, points, yardstick)
}

// points returns the checkpoints of the learning curve.
func (r *rater) points() ([]point, error) {
	generations, err := r.s.points(r.o.curve)
	if err != nil {
		return nil, err
	}
	points := make([]point, len(generations))
	for i, g := range generations {
		points[i].progress = r.s.progress[g]
		if points[i].contender, err = r.checkpoint(g); err != nil {
			return nil, err
		}
	}
	return points, nil
}

// rateCurve fills in the learning curve.
func (r *rater) rateCurve(ctx context.Context, c *card.Card, points []point, yardstick contender) (err error) {
	for i, at := range points {
		p := card.Point{Progress: at.progress, Weights: at.key}
		if p.Yardstick, err = r.meet(ctx, at.contender, yardstick, (r.o.games+1)/2); err != nil {
			return err
		}
		if i > 0 {
			rating, err := r.meet(ctx, at.contender, points[i-1].contender, (r.o.games+1)/2)
			if err != nil {
				return err
			}
			p.Before = &rating
		}
		c.Curve = append(c.Curve, p)
	}
	return nil
}

// checkpoint returns the network of a generation as a player.
func (r *rater) checkpoint(generation int) (contender, error) {
	weights, info, err := r.s.open(generation)
	if err != nil {
		return contender{}, err
	}
	name := fmt.Sprintf("generation %d", generation)
	model := net.Compile(r.o.backend, weights)
	return contender{
		name: name, key: info.Files[bundled.WeightsFile].SHA256,
		maker: computing{r.o.backend, 1}.player(r.s.game, model, name, r.o.sims),
	}, nil
}

// meet returns how a does against b in so many games, rounded up to whole
// openings: from a match that is kept, or one that is played and kept.
func (r *rater) meet(ctx context.Context, a, b contender, games int) (card.Rating, error) {
	m := arena.Match{
		Game: r.s.game, Players: []arena.PlayerFactory{a.maker, b.maker}, Seed: r.o.seed, Workers: r.o.workers, Opening: r.o.opening,
	}
	m.Games = m.RoundUp(games)
	r.number++
	pairing := r.rated.Pairing(a.key, b.key, m.Games)
	rating, ok := r.kept.Find(pairing)
	if !ok {
		report, err := r.play(ctx, m, fmt.Sprintf("match %d of %d, %s against %s,", r.number, r.all, a.name, b.name))
		if err != nil {
			return rating, err
		}
		rating = ratingOf(report)
	}
	rating.Opponent = b.name
	fmt.Fprintf(r.out, "%s against %s: %d games, +%d =%d -%d, %.1f%%, 95%% interval %.1f to %.1f%%\n", a.name, b.name,
		rating.Games, rating.Won, rating.Drawn, rating.Lost, 100*rating.Share.Value, 100*rating.Share.Low, 100*rating.Share.High)
	if ok {
		return rating, nil
	}
	r.keep(card.Matches{Matches: []card.Match{{Pairing: pairing, Rating: rating}}})
	return rating, r.write(matchesFile, r.kept.Write)
}

// play plays a match.
func (r *rater) play(ctx context.Context, m arena.Match, what string) (arena.Report, error) {
	r.meter.begin(what, "games", m.Games)
	defer r.meter.end()
	m.Progress = func(p arena.Progress) { r.meter.set(p.Done, standingText(p)) }
	return arena.Play(ctx, m)
}

// ratingOf returns what a card tells of a match of two players, of which the
// first has one seat.
func ratingOf(report arena.Report) card.Rating {
	p := report.Players[0]
	elo := p.Elo[1]
	return card.Rating{
		Games: report.Games, Distinct: report.Distinct, Won: p.Wins, Drawn: p.Draws, Lost: p.Losses,
		Share: card.Share{Value: p.Score.Value, Low: p.Score.Low, High: p.Score.High, Chance: p.EqualScore},
		Elo:   card.Elo{Value: finite(elo.Value), Low: finite(elo.Low), High: finite(elo.High)},
	}
}

// finite returns x, or nil if it is infinite or unknown.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// finish writes the folder. The card comes last, as it vouches for the rest, and
// an older one goes first: no card lies beside weights of another. What either
// tells of is kept until then.
func (r *rater) finish(c card.Card) error {
	if err := r.write(matchesFile, r.kept.Write); err != nil {
		return err
	}
	if err := r.remove(bundled.CardFile); err != nil {
		return err
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{bundled.WeightsFile, contents(r.s.weights)},
		{bundled.MarkdownFile, contents([]byte(c.Markdown()))},
		{bundled.CardFile, c.Write},
	} {
		if err := r.write(file.name, file.write); err != nil {
			return err
		}
	}
	return r.remove(matchesFile)
}

// remove removes a file of the folder, if it is there.
func (r *rater) remove(name string) error {
	if err := r.o.disk.Remove(filepath.Join(r.o.out, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.o.disk.SyncDir(r.o.out)
}

// contents returns a function that writes data.
func contents(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// write writes a file of the folder, which appears whole or not at all.
func (r *rater) write(name string, write func(io.Writer) error) error {
	path := filepath.Join(r.o.out, name)
	if err := disk.WriteFile(r.o.disk, path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
