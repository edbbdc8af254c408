package ladder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
)

// LogFile is the name of the games in the folder of a rating.
const LogFile = "games.jsonl"

// Candidate is a player to be rated.
type Candidate struct {
	player.Factory // its New is nil if it cannot play, and is only rated from the games in the log

	Checkpoint *Checkpoint // for the report; may be nil
}

// Options configure a rating.
type Options struct {
	Ladder     *Ladder
	Game       env.Game
	Candidates []Candidate

	Games   int     // maximum number of games of a candidate, rounded up to whole batches
	Error   float64 // error in Elo at which a candidate stops playing
	Seed    uint64
	Workers int // games at a time, which does not affect the report
	Backend net.Backend
	Dir     string // folder of the log, created if necessary
	Tiro    string // version of the program, for the log

	Clock player.Clock // for candidates with a time control

	Disk disk.FS // file system of Dir; nil for the machine's

	// Begin, if set, is called when a batch of games begins. It returns a function to call
	// after each game, and one to call when the batch has ended or was interrupted.
	Begin func(Upcoming) (game func(arena.Progress), end func())

	// Elsewhere, if set, plays the games instead of Workers, all games of a round at once.
	// The report is the same.
	Elsewhere arena.Gameplayer
}

// batchGames is the number of games of a match between two fits. It is a multiple of 2, 3
// and 4, the sizes of groups.
const batchGames = 12

const (
	leastGames  = 2 * batchGames // a candidate plays at least this many games
	beyondGames = 5 * batchGames // a candidate beyond the ladder's end, with only wins or losses, stops after this many
)

// Upcoming is a batch of games that begins.
type Upcoming struct {
	Title string // such as "mcts:400 against greedy"
	Done  int    // earlier games of the same player
	Most  int    // maximum of the games in total
	Games int    // games of this batch
}

func (o *Options) validate() error {
	switch {
	case o.Ladder == nil || o.Game == nil || o.Ladder.Game != o.Game.Spec().Name:
		return errors.New("a game and its ladder are required")
	case o.Games < 1 || o.Workers < 1 && o.Elsewhere == nil:
		return fmt.Errorf("games and workers must be at least 1, not %d and %d", o.Games, o.Workers)
	case !(o.Error > 0):
		return fmt.Errorf("error must be above 0, not %v", o.Error)
	case o.Dir == "" && len(o.Candidates) > 0:
		return errors.New("a folder for the games is required")
	}
	for i, c := range o.Candidates {
		same := func(other Candidate) bool { return other.Key() == c.Key() }
		if j := slices.IndexFunc(o.Candidates[:i], same); j >= 0 {
			return fmt.Errorf("%s and %s are the same player", c.Label(), o.Candidates[j].Label())
		}
		if c.New == nil || o.Elsewhere == nil {
			continue
		}
		if _, _, err := c.Remote(); err != nil {
			return err
		}
	}
	return nil
}

// Rate rates candidates. Without candidates, the report is on the ladder alone. If ctx ends
// first, every finished game is stored, and the same call continues.
func Rate(ctx context.Context, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, fmt.Errorf("ladder: rate: %w", err)
	}
	r, err := newRater(o)
	if err != nil {
		return Report{}, err
	}
	return r.rate(ctx)
}

type rater struct {
	Options
	by      arena.Builder
	log     *arena.GameLog
	players []entry        // references of the ladder, then candidates, then other players in the log
	places  map[string]int // by key: index in players
	frozen  []meeting
	place   []int // by candidate: index in players

	// play plays the missing games of matches in the log.
	play func(ctx context.Context, matches []*arena.LoggedMatch) error
}

// entry is a player that is rated, or whose games count.
type entry struct {
	player.Spec
	open func() (player.Factory, error) // nil if it cannot play
}

// meeting is a match between the players at two places.
type meeting struct {
	a, b    int // a has one seat, b the others
	records []arena.GameRecord
}

func newRater(o Options) (*rater, error) {
	o.Disk = cmp.Or[disk.FS](o.Disk, disk.OS{})
	o.Backend = cmp.Or[net.Backend](o.Backend, kernel.Backend{})
	r := &rater{Options: o, by: arena.Builder{Tiro: o.Tiro, Backend: o.Backend.Bits()}, places: map[string]int{}}
	r.play = r.playMatches
	resources := player.Resources{Open: o.Ladder.opener(o.Game, o.Backend)}
	for _, p := range o.Ladder.Players {
		r.add(p, func() (player.Factory, error) { return p.Factory(o.Game, resources) })
	}
	for _, c := range o.Candidates {
		var open func() (player.Factory, error)
		if c.New != nil {
			open = func() (player.Factory, error) { return c.Factory, nil }
		}
		r.place = append(r.place, r.add(c.Spec, open))
	}
	for _, m := range o.Ladder.Matches {
		a, b := o.Ladder.index(m.A), o.Ladder.index(m.B)
		records, err := m.Games.Records(o.Game.Spec().Players)
		if err == nil && (a < 0 || b < 0) {
			err = errors.New("no such players")
		}
		if err != nil {
			return nil, fmt.Errorf("ladder: %s against %s: %w", m.A, m.B, err)
		}
		r.frozen = append(r.frozen, meeting{a, b, records})
	}
	return r, nil
}

// add returns the place of the player p. It adds the player if it is new.
func (r *rater) add(p player.Spec, open func() (player.Factory, error)) int {
	key := p.Key()
	place, ok := r.places[key]
	if !ok {
		place = len(r.players)
		r.places[key] = place
		r.players = append(r.players, entry{p, open})
	}
	return place
}

// find returns the place of a known player.
func (r *rater) find(p player.Spec) int { return r.places[p.Key()] }

// reference reports whether the player at a place is a reference.
func (r *rater) reference(place int) bool { return place < len(r.Ladder.Players) }

// rate plays the games of all candidates, and returns the report.
func (r *rater) rate(ctx context.Context) (report Report, err error) {
	if len(r.Candidates) > 0 {
		if err := disk.MkdirAll(r.Disk, r.Dir); err != nil {
			return report, err
		}
		if r.log, err = arena.OpenGameLog(r.Disk, filepath.Join(r.Dir, LogFile), r.Game); err != nil {
			return report, err
		}
		defer func() { err = errors.Join(err, r.log.Close()) }()
		r.enter(r.log.Matches)
		if err := r.playRounds(ctx); err != nil {
			return report, err
		}
	}
	return r.report(r.logged())
}

// enter adds the other players of matches that count.
func (r *rater) enter(matches []*arena.LoggedMatch) {
	for _, m := range matches {
		if r.counts(m) {
			r.add(m.Players[0], nil)
			r.add(m.Players[1], nil)
		}
	}
}

// counts reports whether a match has the conditions of this rating.
func (r *rater) counts(m *arena.LoggedMatch) bool {
	return len(m.Players) == 2 && m.Tiro == r.by.Tiro && m.Backend == r.by.Backend && m.Opening == r.Ladder.Opening && m.Starts == "" &&
		m.Adjudication == arena.Adjudication{}
}

// meetings returns the games of matches that count and are complete.
func (r *rater) meetings(matches []*arena.LoggedMatch) (all []meeting) {
	for _, m := range matches {
		if r.counts(m) && m.Complete() {
			all = append(all, meeting{r.find(m.Players[0]), r.find(m.Players[1]), m.Games})
		}
	}
	return all
}

// logged returns the matches in the log, if there is one.
func (r *rater) logged() []*arena.LoggedMatch {
	if r.log == nil {
		return nil
	}
	return r.log.Matches
}

// playRounds plays until all candidates have played enough. A round that was interrupted is
// completed first.
func (r *rater) playRounds(ctx context.Context) error {
	for {
		open := slices.DeleteFunc(slices.Clone(r.logged()), func(m *arena.LoggedMatch) bool {
			return !r.counts(m) || m.Complete() || m.Planned == 0 || !r.able(m)
		})
		if len(open) == 0 {
			f, err := r.fit(r.logged())
			if err != nil {
				return err
			}
			pairs := r.pairs(f)
			if len(pairs) == 0 {
				if i := slices.IndexFunc(r.place, func(place int) bool { return f.at[place] < 0 }); i >= 0 {
					err = fmt.Errorf("ladder: rate: no games link %s with %s, and it cannot play", r.Candidates[i].Label(), r.Ladder.Anchor)
				}
				return err
			}
			if open, err = r.begin(pairs); err != nil {
				return err
			}
		}
		if err := r.play(ctx, open); err != nil {
			return err
		}
	}
}

// able reports whether both players of a match can play.
func (r *rater) able(m *arena.LoggedMatch) bool {
	return r.players[r.find(m.Players[0])].open != nil && r.players[r.find(m.Players[1])].open != nil
}

// begin begins a match for each pair of a round. Its seed depends on the players and on the
// number of earlier matches of the pair, so that no two matches share openings.
func (r *rater) begin(pairs [][2]int) ([]*arena.LoggedMatch, error) {
	var all []arena.Conditions
	for _, p := range pairs {
		a, b, number := r.players[p[0]], r.players[p[1]], 0
		for _, m := range r.logged() {
			if r.counts(m) && r.find(m.Players[0]) == p[0] && r.find(m.Players[1]) == p[1] {
				number++
			}
		}
		digest := fnv.New64a()
		fmt.Fprintf(digest, "%d\n%s\n%s\n%d", r.Seed, a.Key(), b.Key(), number) // a hash never returns an error
		all = append(all, arena.Conditions{
			Players: []player.Spec{a.Spec, b.Spec}, Seed: digest.Sum64(),
			Opening: r.Ladder.Opening, Tiro: r.by.Tiro, Backend: r.by.Backend,
		})
	}
	return r.log.Begin(batchGames, all...)
}

// matchesAtOnce is the number of matches of a round that a Gameplayer plays at once.
const matchesAtOnce = 32

// playMatches plays the missing games of matches in the log.
func (r *rater) playMatches(ctx context.Context, all []*arena.LoggedMatch) error {
	atOnce := 1
	if r.Elsewhere != nil {
		atOnce = matchesAtOnce
	}
	for some := range slices.Chunk(all, atOnce) {
		u := Upcoming{Title: fmt.Sprintf("%d pairs", len(some))}
		matches := make([]arena.Match, len(some))
		for i, m := range some {
			a, b := r.players[r.find(m.Players[0])], r.players[r.find(m.Players[1])]
			first, err := a.open()
			if err != nil {
				return err
			}
			second, err := b.open()
			if err != nil {
				return err
			}
			matches[i] = arena.Match{
				Game: r.Game, Players: []player.Factory{first, second}, Games: m.Planned, Seed: m.Seed,
				Opening: m.Opening, Workers: r.Workers, Clock: r.Clock, Elsewhere: r.Elsewhere,
			}
			if err := r.log.Continue(&matches[i], m); err != nil {
				return err
			}
			if u.Games += m.Planned; len(some) == 1 {
				u.Title, u.Done = a.Label()+" against "+b.Label(), r.gamesOf(m.Players[0])
			}
		}
		u.Most = max(r.Games, u.Done+u.Games)
		if len(some) > 1 {
			u.Most = u.Games
		}
		if err := r.playAtOnce(ctx, matches, u); err != nil {
			return fmt.Errorf("%s: %w", u.Title, err)
		}
	}
	return nil
}

// playAtOnce plays matches: several if there is a Gameplayer, otherwise one.
func (r *rater) playAtOnce(ctx context.Context, matches []arena.Match, u Upcoming) error {
	if r.Begin != nil {
		game, end := r.Begin(u)
		defer end()
		done := make([]int, len(matches))
		for i := range matches {
			matches[i].Progress = func(p arena.Progress) {
				done[i] = p.Done
				if len(matches) > 1 {
					p = arena.Progress{}
				}
				p.Done, p.Games = 0, u.Games
				for _, n := range done {
					p.Done += n
				}
				game(p)
			}
		}
	}
	_, err := arena.PlayAll(ctx, matches)
	return err
}

// gamesOf returns the number of a player's games in complete matches.
func (r *rater) gamesOf(p player.Spec) (n int) {
	place := r.find(p)
	for _, m := range r.meetings(r.logged()) {
		if m.a == place || m.b == place {
			n += len(m.records)
		}
	}
	return n
}
