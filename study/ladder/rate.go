package ladder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/arena"
	"tiro/arena/rating"
	"tiro/disk"
	"tiro/env"
	"tiro/net/kernel"
)

// Candidate is a player to be rated.
type Candidate struct {
	Player
	Make arena.PlayerFactory
}

// Rating says who is rated, and how.
type Rating struct {
	Ladder     *Ladder
	Game       env.Game
	Candidates []Candidate

	Games   int     // of a candidate at most; rounded up to whole batches
	Error   float64 // in Elo: a candidate whose error is this small plays no more
	Seed    uint64
	Workers int // games at a time; the report does not depend on it
	Backend kernel.Backend
	Dir     string // folder of the log; made if need be
	Tiro    string // version of the program, for the log

	Disk     disk.FS  // where Dir is; nil for the machine's file system
	Progress Progress // may be nil
}

// Games after which a candidate has done enough at the earliest, and at the latest if
// it has won all of them, or none: then it is beyond the ladder's end.
const (
	leastGames  = 2 * batchGames
	beyondGames = 5 * batchGames
)

// validate reports the first fault of a rating.
func (o *Rating) validate() error {
	switch {
	case o.Ladder == nil || o.Game == nil || o.Ladder.Game != o.Game.Spec().Name:
		return errors.New("want a game and its ladder")
	case o.Games < 1 || o.Workers < 1:
		return fmt.Errorf("%d games, %d workers; want 1 or more", o.Games, o.Workers)
	case !(o.Error > 0):
		return fmt.Errorf("error %v; want more than 0", o.Error)
	case o.Dir == "" && len(o.Candidates) > 0:
		return errors.New("no folder for the games; want one")
	}
	for i, c := range o.Candidates {
		same := func(other Candidate) bool { return other.same(c.Player) }
		if j := slices.IndexFunc(o.Candidates[:i], same); j >= 0 {
			return fmt.Errorf("%s plays as %s does; want each player once", c.Name, o.Candidates[j].Name)
		}
	}
	return nil
}

// Rate rates candidates. Without any, the report is that of the ladder. If ctx ends
// first, every finished batch is kept, and the same call goes on.
func Rate(ctx context.Context, o Rating) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, fmt.Errorf("ladder: rate: %w", err)
	}
	return newRater(o).rate(ctx)
}

// rater rates candidates.
type rater struct {
	Rating
	references *factories
	conditions Conditions
	log        *log

	// meet plays a batch of games.
	meet func(ctx context.Context, a, b side, number int, u Upcoming) (Games, error)
}

func newRater(o Rating) *rater {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	t := table{game: o.Game, opening: o.Ladder.Opening, seed: o.Seed, workers: o.Workers, progress: o.Progress}
	return &rater{
		Rating: o, references: o.Ladder.factories(o.Game, o.Backend), meet: t.play,
		conditions: Conditions{o.Tiro, o.Backend.Name(), o.Ladder.Opening, o.Seed},
	}
}

// rate has all candidates play, and returns the report.
func (r *rater) rate(ctx context.Context) (report Report, err error) {
	if len(r.Candidates) > 0 {
		unlock, failure := disk.LockFolder(r.Disk, r.Dir)
		if failure != nil {
			return report, failure
		}
		defer func() { err = errors.Join(err, unlock()) }()
		if r.log, err = openLog(r.Disk, r.Dir, r.Game.Spec()); err != nil {
			return report, err
		}
	}
	var all []meeting
	for i, c := range r.Candidates {
		meetings, err := r.place(ctx, c)
		if err != nil {
			return report, err
		}
		for _, m := range meetings {
			m.candidate = i
			all = append(all, m)
		}
	}
	return r.report(all)
}

// place has a candidate play until its rating is known well enough.
func (r *rater) place(ctx context.Context, c Candidate) ([]meeting, error) {
	if r.Ladder.Reference(c.Player) >= 0 {
		return nil, nil
	}
	ladder, err := r.Ladder.checksum()
	if err != nil {
		return nil, err
	}
	kept := r.log.find(c.Player, ladder, r.conditions)
	var meetings []meeting
	for games := 0; ; {
		opponent, err := r.next(c.Name, meetings, games)
		if err != nil || opponent < 0 {
			return meetings, err
		}
		played, err := r.batch(ctx, c, kept, opponent, len(meetings), games)
		if err != nil {
			return nil, err
		}
		games += played.count()
		meetings = append(meetings, meeting{opponent: opponent, games: played})
	}
}

// next returns the reference that a candidate is to meet next, or -1 if it has
// played enough.
func (r *rater) next(name string, meetings []meeting, games int) (int, error) {
	l := r.Ladder
	if len(meetings) == 0 {
		return len(l.Players) / 2, nil
	}
	fit, err := l.fit([]string{name}, meetings)
	if err != nil {
		return 0, err
	}
	candidate := len(l.Players)
	if r.enough(fit, candidate, games) {
		return -1, nil
	}
	return nearest(fit, candidate, l.seats(), meetings[len(meetings)-1].opponent), nil
}

// enough reports whether a candidate has played enough.
func (r *rater) enough(fit *rating.Ratings, candidate, games int) bool {
	switch {
	case games >= r.Games:
		return true
	case fit.Bounded(candidate):
		return games >= beyondGames && r.beyond(fit, candidate)
	}
	return games >= leastGames && fit.ErrorGiven(candidate, r.Ladder.all()) <= r.Error
}

// beyond reports whether a candidate is rated above or below all references.
func (r *rater) beyond(fit *rating.Ratings, candidate int) bool {
	references := fit.Elo[:candidate]
	return fit.Elo[candidate] > slices.Max(references) || fit.Elo[candidate] < slices.Min(references)
}

// nearest returns the reference, but not the one just met, against which the score
// that the candidate can expect on one seat is nearest to that of equals.
func nearest(fit *rating.Ratings, candidate, seats, justMet int) int {
	best, least := -1, math.Inf(1)
	for reference := range candidate {
		if reference == justMet && candidate > 1 {
			continue
		}
		score := 0.0
		for seat := range seats {
			score += fit.Expected(seating(seats, seat, candidate, reference))[seat] / float64(seats)
		}
		if off := math.Abs(score - 1/float64(seats)); off < least {
			best, least = reference, off
		}
	}
	return best
}

// batch returns the games of a candidate's batch of this number: those that are kept,
// or new ones, which are then kept.
func (r *rater) batch(ctx context.Context, c Candidate, kept *logged, opponent, number, games int) (Games, error) {
	reference := r.Ladder.Players[opponent]
	if number < len(kept.Batches) && kept.Batches[number].Opponent == reference.Name {
		return kept.Batches[number].Games, nil
	}
	factory, err := r.references.player(reference)
	if err != nil {
		return "", err
	}
	played, err := r.meet(ctx,
		side{c.key(), c.Name, c.Make}, side{reference.key(), reference.Name, factory}, number,
		Upcoming{Title: c.Name + " against " + reference.Name, Done: games, Most: r.Games})
	if err != nil {
		return "", err
	}
	kept.Batches = append(kept.Batches[:number], match{reference.Name, played})
	return played, r.log.save()
}
