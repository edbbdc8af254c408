package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"

	"tiro/configs"
	"tiro/internal/faults"
	"tiro/models"
)

// Retention says which checkpoints stay: the newest ones, and one in so many.
type Retention struct {
	Last  int `yaml:"last"`  // the newest so many; at least 1
	Every int `yaml:"every"` // generations divisible by this, 0 among them; 0 for none but the newest
}

// Forever reports whether a generation stays however old it is.
func (r Retention) Forever(generation int) bool { return r.Every > 0 && generation%r.Every == 0 }

// Validate reports every field that is out of range.
func (r Retention) Validate() error {
	var f faults.List
	f.Check(r.Last >= 1, "last", r.Last, "at least 1")
	f.Check(r.Every >= 0, "every", r.Every, "0 for none, or more")
	return f.Err()
}

// Sizes says how many bytes a run has on disk.
type Sizes struct {
	Checkpoints, Games int64 // Games includes those of a generation under way
}

// Total returns the bytes of all.
func (s Sizes) Total() int64 { return s.Checkpoints + s.Games }

// Check returns an error if these, the sizes of what a run needs to go on, are
// more than it may have on disk.
func (s Sizes) Check(bound configs.Bytes) error {
	if s.Total() <= bound.Bound() {
		return nil
	}
	return fmt.Errorf("disk is %v, but what the run goes on from takes %s: checkpoints %s, games %s; want more, or less of checkpoints.last or replay.window",
		bound, configs.Bytes(s.Total()).About(), configs.Bytes(s.Checkpoints).About(), configs.Bytes(s.Games).About())
}

// item is what a generation has on disk of one kind: its checkpoint, or its
// games.
type item struct {
	generation int
	bytes      int64
}

// inventory is what a run folder holds that may be removed, by generation,
// ascending.
type inventory struct {
	checkpoints, games []item
	other              int64 // bytes of games under way
}

// thin returns the checkpoints and games to remove, and the sizes of what stays.
//
// The newest r.Last checkpoints are in use, and so are the games of generation
// oldest and of those after it: they stay. Of the others those stay that r keeps
// forever, as long as no more than bound bytes stay in all. If they are too many,
// games go first, the oldest first; then checkpoints by their rank, and of the
// same rank the oldest first. That halves their number evenly: 0, 80, 160 … go
// after 40, 120, 200 …, which go after 20, 60, 100 …, and 0 goes last. The choice
// depends on generations and sizes alone.
func (v *inventory) thin(r Retention, oldest int, bound int64) (checkpoints, games []int, kept Sizes) {
	kept.Games = v.other
	// sort takes items apart: those in use, those that stay if there is room, and
	// those to remove.
	sort := func(items []item, size *int64, inUse func(i int) bool) (remove []int, spare []item) {
		for i, s := range items {
			switch {
			case inUse(i):
				*size += s.bytes
			case r.Forever(s.generation):
				*size += s.bytes
				spare = append(spare, s)
			default:
				remove = append(remove, s.generation)
			}
		}
		return remove, spare
	}
	games, spareGames := sort(v.games, &kept.Games, func(i int) bool { return v.games[i].generation >= oldest })
	checkpoints, spare := sort(v.checkpoints, &kept.Checkpoints, func(i int) bool { return i >= len(v.checkpoints)-r.Last })
	slices.SortStableFunc(spare, func(a, b item) int {
		return cmp.Compare(rank(a.generation, r.Every), rank(b.generation, r.Every))
	})
	drop := func(remove []int, spare []item, size *int64) []int {
		for ; len(spare) > 0 && kept.Total() > bound; spare = spare[1:] {
			remove = append(remove, spare[0].generation)
			*size -= spare[0].bytes
		}
		return remove
	}
	games = drop(games, spareGames, &kept.Games)
	checkpoints = drop(checkpoints, spare, &kept.Checkpoints)
	return checkpoints, games, kept
}

// rank returns how often a generation, a multiple of every, can be halved and
// still be one; 0 the most often.
func rank(generation, every int) int { return bits.TrailingZeros(uint(generation / every)) }

// Tidy removes the checkpoints, and the games outside the window, that need not
// stay or for which there is no room, and what was left unfinished. The newest
// complete generation and the history say what is in use. It returns the sizes
// of what stays.
func (l *Locked) Tidy(c *Config, store *models.Store, h History, newest int) (Sizes, error) {
	if err := l.Check(); err != nil {
		return Sizes{}, err
	}
	oldest := h.oldestInUse(c.Checkpoints.Last, newest)
	h.Forget(oldest)
	v, err := l.inventory(store, newest)
	if err != nil {
		return Sizes{}, err
	}
	checkpoints, games, kept := v.thin(c.Checkpoints, oldest, c.Disk.Bound())
	for _, g := range games {
		if err := l.fsys.Remove(l.Generation(g).Episodes()); err != nil {
			return Sizes{}, err
		}
	}
	return kept, store.Remove(checkpoints)
}

// inventory lists what the run folder holds, and removes partial games of
// generations that are complete.
func (l *Locked) inventory(store *models.Store, newest int) (v inventory, err error) {
	generations, err := store.List()
	if err != nil {
		return v, err
	}
	for _, g := range generations {
		n, err := store.Bytes(g)
		if err != nil {
			return v, err
		}
		v.checkpoints = append(v.checkpoints, item{g, n})
	}
	entries, err := l.fsys.ReadDir(l.Path(EpisodesDir))
	if err != nil {
		return v, err
	}
	for _, e := range entries {
		path := l.Path(EpisodesDir, e.Name())
		kind, g := Identify(EpisodesDir + "/" + e.Name())
		if kind == PartialEpisodes && g <= newest {
			if err := l.fsys.Remove(path); err != nil {
				return v, err
			}
			continue
		}
		stat, err := l.fsys.Stat(path)
		if errors.Is(err, fs.ErrNotExist) { // a link to nowhere
			continue
		}
		if err != nil {
			return v, err
		}
		switch {
		case kind == Episodes:
			v.games = append(v.games, item{g, stat.Size()})
		case stat.Mode().IsRegular():
			v.other += stat.Size()
		}
	}
	slices.SortFunc(v.games, func(a, b item) int { return cmp.Compare(a.generation, b.generation) })
	return v, nil
}
