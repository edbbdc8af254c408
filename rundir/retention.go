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

// maxRetention bounds numbers of generations: no product with the size of a
// checkpoint overflows.
const maxRetention = 1_000_000

// Forever reports whether a generation stays however old it is.
func (r Retention) Forever(generation int) bool { return r.Every > 0 && generation%r.Every == 0 }

// KeptBefore returns the newest generation before one that stays however old it
// is; 0 if there is none but the first.
func (r Retention) KeptBefore(generation int) int {
	if r.Every == 0 {
		return 0
	}
	return (generation - 1) / r.Every * r.Every
}

// Validate reports every field that is out of range.
func (r Retention) Validate() error {
	var f faults.List
	f.Check(r.Last >= 1 && r.Last <= maxRetention, "last", r.Last, "1 to 1000000")
	f.Check(r.Every >= 0 && r.Every <= maxRetention, "every", r.Every, "0 for none, to 1000000")
	return f.Err()
}

// Sizes says how many bytes a run has on disk.
type Sizes struct {
	Checkpoints, Games int64 // Games includes those of a generation under way
}

// Total returns the bytes of all.
func (s Sizes) Total() int64 { return s.Checkpoints + s.Games }

func (s *Sizes) add(i item, bytes int64) {
	if i.checkpoint {
		s.Checkpoints += bytes
	} else {
		s.Games += bytes
	}
}

// Check returns an error if these, the sizes of what a run needs to go on, are
// more than it may have on disk.
func (s Sizes) Check(bound configs.Bytes) error {
	if s.Total() <= bound.Bound() {
		return nil
	}
	return fmt.Errorf("disk is %v, but what the run needs to resume takes %s: checkpoints %s, games %s; want more, or less of checkpoints.last or replay.window",
		bound, configs.Bytes(s.Total()).About(), configs.Bytes(s.Checkpoints).About(), configs.Bytes(s.Games).About())
}

// item is what a generation has on disk of one kind: its checkpoint, or its
// games.
type item struct {
	generation int
	checkpoint bool
	bytes      int64
	inUse      bool // so that it stays
}

// thin returns the items to remove, and the sizes of what stays.
//
// What is in use stays. Of the rest that stays which r keeps forever, as long as no
// more than bound bytes stay in all. If it is too much, games go first, the oldest
// first; then checkpoints by their rank, and of the same rank the oldest first.
// That halves their number evenly: 0, 80, 160 … go after 40, 120, 200 …, which go
// after 20, 60, 100 …, and 0 goes last. The choice depends on generations and sizes
// alone.
func thin(items []item, r Retention, bound int64) (remove []item, kept Sizes) {
	var spare []item
	for _, i := range items {
		if !i.inUse && !r.Forever(i.generation) {
			remove = append(remove, i)
			continue
		}
		kept.add(i, i.bytes)
		if !i.inUse {
			spare = append(spare, i)
		}
	}
	order := func(i item) int {
		if i.checkpoint {
			return 1 + rank(i.generation, r.Every)
		}
		return 0
	}
	slices.SortFunc(spare, func(a, b item) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.generation, b.generation))
	})
	for ; len(spare) > 0 && kept.Total() > bound; spare = spare[1:] {
		remove = append(remove, spare[0])
		kept.add(spare[0], -spare[0].bytes)
	}
	return remove, kept
}

// rank returns how often a generation, a multiple of every, can be halved and
// still be one; 0 the most often.
func rank(generation, every int) int { return bits.TrailingZeros(uint(generation / every)) }

// Tidy removes the checkpoints, and the games outside the window, that need not
// stay or for which there is no room, and what was left unfinished. The newest
// complete generation and the history say what is in use: the newest checkpoints
// and the games of their windows. It returns the sizes of what stays.
func (l *Locked) Tidy(c *Config, store *models.Store, h History, newest int) (Sizes, error) {
	if err := l.Check(); err != nil {
		return Sizes{}, err
	}
	oldest := h.oldestInUse(c.Checkpoints.Last, newest)
	h.forget(oldest)
	items, err := checkpoints(store, c.Checkpoints.Last)
	if err != nil {
		return Sizes{}, err
	}
	games, partial, err := l.games(oldest, newest)
	if err != nil {
		return Sizes{}, err
	}
	remove, kept := thin(append(items, games...), c.Checkpoints, c.Disk.Bound()-partial)
	kept.Games += partial
	var generations []int
	for _, i := range remove {
		if i.checkpoint {
			generations = append(generations, i.generation)
		} else if err := l.fsys.Remove(l.Generation(i.generation).Episodes()); err != nil {
			return Sizes{}, err
		}
	}
	return kept, store.Remove(generations)
}

// checkpoints lists checkpoints, of which so many are in use.
func checkpoints(store *models.Store, inUse int) (items []item, err error) {
	generations, err := store.List()
	for n, g := range generations {
		var bytes int64
		if bytes, err = store.Bytes(g); err != nil {
			break
		}
		items = append(items, item{g, true, bytes, n >= len(generations)-inUse})
	}
	return items, err
}

// games lists the games of complete generations, which are in use from generation
// oldest on, and returns the bytes of others. It removes partial games of
// generations that are complete.
func (l *Locked) games(oldest, newest int) (items []item, partial int64, err error) {
	entries, err := l.fsys.ReadDir(l.Path(EpisodesDir))
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		path := l.Path(EpisodesDir, e.Name())
		kind, g := Identify(EpisodesDir + "/" + e.Name())
		if kind == PartialEpisodes && g <= newest {
			if err := l.fsys.Remove(path); err != nil {
				return nil, 0, err
			}
			continue
		}
		stat, err := l.fsys.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // a link to nowhere
		case err != nil:
			return nil, 0, err
		case kind == Episodes:
			items = append(items, item{g, false, stat.Size(), g >= oldest})
		case stat.Mode().IsRegular():
			partial += stat.Size()
		}
	}
	return items, partial, nil
}
