package ladder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/net"
	"tiro/net/kernel"
)

// Making says how a ladder is made, or how one is extended.
type Making struct {
	Game     env.Game
	Dir      string // folder of the ladder; made if need be
	Players  []Player
	Networks []NetworkWeights
	Anchor   string // name of the player whose rating is 0

	Games   int // of players next to each other in Players, half as many of those two apart; rounded up to whole batches
	Opening int
	Seed    uint64
	Workers int
	Backend kernel.Backend
	Tiro    string // version of the program

	Disk     disk.FS  // where Dir is; nil for the machine's file system
	Progress Progress // may be nil
}

// NetworkWeights is a network with its weights.
type NetworkWeights struct {
	Network
	Weights *net.Weights
}

// Make plays the matches of a ladder and writes its folder. A ladder that is there is
// extended: matches of players that stay are kept, and only games that are missing are
// played, under the same conditions but perhaps by another version of the program, which
// must not have changed how its players play. If ctx ends first, every finished batch is
// kept, and the same call goes on.
func Make(ctx context.Context, o Making) (l *Ladder, err error) {
	if o.Disk == nil {
		o.Disk = disk.OS{}
	}
	unlock, err := disk.LockFolder(o.Disk, o.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	l = &Ladder{
		Game: o.Game.Spec().Name, GameVersion: o.Game.Spec().Version, Anchor: o.Anchor,
		Conditions: Conditions{o.Tiro, o.Backend.Name(), o.Opening, o.Seed},
		Networks:   []Network{}, Players: o.Players, Matches: []Match{},
		spec: o.Game.Spec(), files: filesIn(o.Disk, o.Dir),
	}
	for _, n := range o.Networks {
		l.Networks = append(l.Networks, n.Network)
	}
	if err := l.extend(&o); err != nil {
		return nil, err
	}
	if err := l.validate(); err != nil {
		return nil, fmt.Errorf("ladder: make: %w", err)
	}
	for _, n := range o.Networks {
		if err := saveNetwork(o.Disk, o.Dir, l.Game, n); err != nil {
			return nil, err
		}
	}
	return l, l.play(ctx, &o)
}

// extend takes over the matches of the ladder that is in the folder, if they were
// played by the same players under the same conditions.
func (l *Ladder) extend(o *Making) error {
	old, err := Open(o.Disk, o.Dir, o.Game)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	same := l.Conditions
	if err == nil {
		same.Tiro, l.Tiro = old.Tiro, old.Tiro
	}
	if err == nil && old.Conditions != same {
		err = fmt.Errorf("ladder: make: %s was played under other conditions, %+v", filepath.Join(o.Dir, File), old.Conditions)
	}
	for _, p := range l.Players {
		if err == nil && old.index(p.Name) >= 0 && !old.Players[old.index(p.Name)].Same(p) {
			err = fmt.Errorf("ladder: make: %s has another %s", filepath.Join(o.Dir, File), p.Name)
		}
	}
	if err != nil {
		return fmt.Errorf("%w; move it elsewhere, or name another folder", err)
	}
	for _, m := range old.Matches {
		if l.index(m.A) >= 0 && l.index(m.B) >= 0 {
			l.Matches = append(l.Matches, m)
		}
	}
	return nil
}

// saveNetwork writes a network beside the ladder unless it is the bundled model.
func saveNetwork(fsys disk.FS, dir, game string, n NetworkWeights) error {
	if data, err := bundledWeights(game); err == nil && models.Measure(data).SHA256 == n.SHA256 {
		return nil
	}
	var data bytes.Buffer
	if err := n.Weights.Write(&data); err != nil {
		return err
	}
	return save(fsys, filepath.Join(dir, n.Name+Extension), disk.Bytes(data.Bytes()))
}

// pair is two players that are to meet, and in how many games.
type pair struct {
	a, b  int
	games int
}

// pairs returns who meets whom, and how often: players next to each other, and those
// two apart half as often, which shows whether strengths add up.
func (o *Making) pairs() []pair {
	var all []pair
	for b := range o.Players {
		for a := max(0, b-2); a < b; a++ {
			games := (o.Games/(b-a) + batchGames - 1) / batchGames * batchGames
			all = append(all, pair{a, b, games})
		}
	}
	return all
}

// play plays what is missing, a batch of every pair after the other.
func (l *Ladder) play(ctx context.Context, o *Making) error {
	t := table{game: o.Game, opening: o.Opening, seed: o.Seed, workers: o.Workers, progress: o.Progress}
	references := l.factories(o.Game, o.Backend)
	u := Upcoming{}
	for _, p := range o.pairs() {
		u.Most += p.games
		u.Done += min(p.games, l.between(p).Games.count())
	}
	for playing := true; playing; {
		playing = false
		for _, p := range o.pairs() {
			m := l.between(p)
			if m.Games.count() >= p.games {
				continue
			}
			playing = true
			played, err := l.playBatch(ctx, &t, references, o.Tiro, m, u)
			if err != nil {
				return err
			}
			u.Done += played
			if err := save(o.Disk, filepath.Join(o.Dir, File), l.Write); err != nil {
				return err
			}
		}
	}
	return save(o.Disk, filepath.Join(o.Dir, File), l.Write)
}

// playBatch adds a batch to a match and returns the number of its games.
func (l *Ladder) playBatch(ctx context.Context, t *table, references *factories, version string, m Match, u Upcoming) (int, error) {
	a, err := references.side(l.Players[l.index(m.A)])
	if err != nil {
		return 0, err
	}
	b, err := references.side(l.Players[l.index(m.B)])
	if err != nil {
		return 0, err
	}
	u.Title = a.name + " against " + b.name
	played, err := t.play(ctx, a, b, m.Games.count(), u)
	if err != nil {
		return 0, err
	}
	l.playedBy(version)
	if i := l.match(m.A, m.B); i >= 0 {
		l.Matches[i].Games = l.Matches[i].Games.join(played)
	} else {
		l.Matches = append(l.Matches, Match{m.A, m.B, played})
	}
	return played.count(), nil
}

// playedBy notes that a version of the program has played some of the games.
func (l *Ladder) playedBy(version string) {
	switch versions := strings.Split(l.Tiro, ", "); {
	case len(l.Matches) == 0:
		l.Tiro = version
	case !slices.Contains(versions, version):
		l.Tiro += ", " + version
	}
}

// between returns the match of a pair so far.
func (l *Ladder) between(p pair) Match {
	a, b := l.Players[p.a].Name, l.Players[p.b].Name
	if i := l.match(a, b); i >= 0 {
		return l.Matches[i]
	}
	return Match{A: a, B: b}
}

// match returns the index of the match of two players, or -1.
func (l *Ladder) match(a, b string) int {
	return slices.IndexFunc(l.Matches, func(m Match) bool { return m.A == a && m.B == b || m.A == b && m.B == a })
}

// side returns a reference at a table.
func (f *factories) side(p Player) (side, error) {
	factory, err := f.player(p)
	return side{p.key(), p.Name, factory}, err
}
