package ladder

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/net/kernel"
)

// Candidate is a player to be rated.
type Candidate struct {
	Player
	Make arena.PlayerFactory // nil for one that plays no more, and is rated by the games in the log

	Checkpoint *Checkpoint // for the report; may be nil
}

// Rating says who is rated, and how.
type Rating struct {
	Ladder     *Ladder
	Game       env.Game
	Candidates []Candidate

	Games   int     // of a candidate at most; rounded up to whole batches
	Error   float64 // in Elo: a candidate whose error is this small asks for no more games
	Seed    uint64
	Workers int // games at a time; the report does not depend on it
	Backend kernel.Backend
	Dir     string // folder of the log; made if need be
	Tiro    string // version of the program, for the log

	Disk     disk.FS  // where Dir is; nil for the machine's file system
	Progress Progress // may be nil

	// Elsewhere, if set, plays the games instead of Workers, those of a round at once. The
	// report is the same.
	Elsewhere arena.Gameplayer
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
	case o.Games < 1 || o.Workers < 1 && o.Elsewhere == nil:
		return fmt.Errorf("%d games, %d workers; want 1 or more", o.Games, o.Workers)
	case !(o.Error > 0):
		return fmt.Errorf("error %v; want more than 0", o.Error)
	case o.Dir == "" && len(o.Candidates) > 0:
		return errors.New("no folder for the games; want one")
	}
	for i, c := range o.Candidates {
		same := func(other Candidate) bool { return other.Same(c.Player) }
		if j := slices.IndexFunc(o.Candidates[:i], same); j >= 0 {
			return fmt.Errorf("%s plays as %s does; want each player once", c.Name, o.Candidates[j].Name)
		}
		if c.Make == nil || o.Elsewhere == nil {
			continue
		}
		if _, err := (&arena.Match{Players: []arena.PlayerFactory{c.Make}}).Specifications(); err != nil {
			return err
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
	pool       *pool
	number     []int // by candidate, its number in the pool; -1 for a reference
	table      table

	// meet plays a batch of games.
	meet func(ctx context.Context, a, b side, number int, u Upcoming) (Games, error)
}

func newRater(o Rating) *rater {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	t := table{game: o.Game, opening: o.Ladder.Opening, seed: o.Seed, workers: o.Workers, progress: o.Progress}
	return &rater{
		Rating: o, table: t, references: o.Ladder.factories(o.Game, o.Backend), meet: t.play,
		conditions: Conditions{o.Tiro, o.Backend.Name(), o.Ladder.Opening, o.Seed},
		pool:       &pool{},
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
		if err := r.enter(); err != nil {
			return report, err
		}
		if err := r.play(ctx); err != nil {
			return report, err
		}
	}
	return r.report()
}

// enter finds all candidates in the pool, or adds them.
func (r *rater) enter() error {
	ladder, err := r.Ladder.checksum()
	if err != nil {
		return err
	}
	r.pool = r.log.pool(ladder, r.conditions)
	f, err := r.fit(everyRound)
	if err != nil {
		return err
	}
	for _, c := range r.Candidates {
		number := -1
		if r.Ladder.Reference(c.Player) < 0 {
			number = r.pool.candidate(c.Player)
			if place := len(r.Ladder.Players) + number; c.Make == nil && (place >= len(f.at) || f.at[place] < 0) {
				return fmt.Errorf("ladder: rate: %s has played no games, and cannot play; want a player that can", c.Name)
			}
		}
		r.number = append(r.number, number)
	}
	return nil
}

// play plays rounds until everybody has played enough. A round depends on the rounds
// before it alone, so that one that was interrupted is completed as it was meant.
func (r *rater) play(ctx context.Context) error {
	for round := r.pool.nextRound(); ; round++ {
		pairs, err := r.pairs(round)
		if err != nil {
			return err
		}
		if len(pairs) == 0 && round >= r.pool.nextRound() {
			return nil
		}
		if err := r.round(ctx, pairs, round); err != nil {
			return err
		}
	}
}

// round plays the batches of pairs that are missing in a round, and keeps them.
func (r *rater) round(ctx context.Context, pairs []pair, round int) error {
	atOnce := 1
	if r.Elsewhere != nil {
		atOnce = batchesAtOnce
	}
	for some := range slices.Chunk(pairs, atOnce) {
		var batches []upcoming
		for _, p := range some {
			b, there, err := r.upcoming(p, logged{Round: round, Pairs: len(pairs)})
			if err != nil {
				return err
			}
			if !there {
				batches = append(batches, b)
			}
		}
		if len(batches) == 0 {
			continue
		}
		games, err := r.playAll(ctx, batches)
		if err != nil {
			return err
		}
		for i, b := range batches {
			b.entry.Games = games[i]
			r.pool.Batches = append(r.pool.Batches, b.entry)
		}
		if err := r.log.save(); err != nil {
			return err
		}
	}
	return nil
}

// playAll plays batches.
func (r *rater) playAll(ctx context.Context, batches []upcoming) ([]Games, error) {
	if r.Elsewhere != nil {
		return r.table.playElsewhere(ctx, r.Elsewhere, batches)
	}
	b := batches[0]
	games, err := r.meet(ctx, b.a, b.b, b.number, b.shown)
	return []Games{games}, err
}

// upcoming is a batch that is to be played.
type upcoming struct {
	entry  logged // for the log, without its games
	shown  Upcoming
	a, b   side
	number int // of the batches of the pair
}

// upcoming returns the batch of a pair in a round, and whether it is in the log.
func (r *rater) upcoming(p pair, next logged) (u upcoming, there bool, err error) {
	next.A = p.a - len(r.Ladder.Players)
	if b := p.b - len(r.Ladder.Players); b >= 0 {
		next.B = &b
	} else {
		next.Reference = r.Ladder.Players[p.b].Name
	}
	before := 0 // games of a
	for _, old := range r.pool.Batches {
		if old.same(next) {
			if u.number++; old.Round == next.Round {
				return u, true, nil
			}
		}
		if old.A == next.A || old.B != nil && *old.B == next.A {
			before += old.Games.count()
		}
	}
	if u.a, err = r.side(p.a); err != nil {
		return u, false, err
	}
	if u.b, err = r.side(p.b); err != nil {
		return u, false, err
	}
	u.entry = next
	u.shown = Upcoming{Title: u.a.name + " against " + u.b.name, Done: before, Most: max(r.Games, before+batchGames)}
	return u, false, nil
}

// same reports whether two batches are of the same pair.
func (b *logged) same(o logged) bool {
	return b.A == o.A && b.Reference == o.Reference && (b.B == nil) == (o.B == nil) && (b.B == nil || *b.B == *o.B)
}

// side returns the player at a place.
func (r *rater) side(place int) (side, error) {
	if place < len(r.Ladder.Players) {
		p := r.Ladder.Players[place]
		factory, err := r.references.player(p)
		return side{p.key(), p.Name, factory}, err
	}
	c := r.Candidates[slices.Index(r.number, place-len(r.Ladder.Players))]
	return side{c.key(), c.Name, c.Make}, nil
}
