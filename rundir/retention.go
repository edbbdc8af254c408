package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// ErrDiskBudget is wrapped by errors about a run that needs more disk than it may use.
var ErrDiskBudget = errors.New("disk budget reached")

// Sizes is the size of a run on disk, in bytes.
type Sizes struct {
	Checkpoints, Games int64 // of complete generations
	Next               int64 // about what the next generation adds before anything is removed
}

// Total returns the bytes of checkpoints and games.
func (s Sizes) Total() int64 { return s.Checkpoints + s.Games }

func (s *Sizes) add(i item, bytes int64) {
	if i.checkpoint {
		s.Checkpoints += bytes
	} else {
		s.Games += bytes
	}
}

// Check returns ErrDiskBudget if a run has no room for its next generation.
func (s Sizes) Check(bound configs.Bytes) error {
	if s.Total()+s.Next <= bound.Bound() {
		return nil
	}
	about := func(n int64) string { return configs.Bytes(n).About() }
	return fmt.Errorf("%w: disk is %v, but checkpoints take %s, games that are learned from %s, and the next generation needs about %s; raise disk, or lower checkpoints.last, replay.window or net",
		ErrDiskBudget, bound, about(s.Checkpoints), about(s.Games), about(s.Next))
}

// MaxLog is how long a log of a run may get, in bytes. There are two.
const MaxLog = 8 << 20

// item is what a generation has on disk of one kind: its checkpoint, or its
// games.
type item struct {
	generation int
	checkpoint bool
	bytes      int64
	inUse      bool // so that it stays
}

// thin returns the items to remove, and the sizes of what stays: what is in use, and
// what r keeps forever as long as no more than bound bytes stay in all. If it is too
// much, games go before checkpoints, and the oldest first, but for checkpoint 0, from
// which ratings are measured: it goes last. The choice depends on generations and sizes
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
		switch {
		case !i.checkpoint:
			return 0
		case i.generation > 0:
			return 1
		}
		return 2
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

// Tidy removes the checkpoints, and the games outside the window, that need not
// stay or for which there is no room, and what was left unfinished. The newest
// complete generation and the history say what is in use: the newest checkpoints
// and the games of their windows. It returns the sizes of what stays.
//
// Room is left for a checkpoint and games as large as the newest, which are there twice
// while they are written. Files of the next generation do not count, so that what stays
// does not depend on whether that was interrupted.
func (l *Locked) Tidy(keep Retention, bound configs.Bytes, store *models.Store, h History, newest int) (Sizes, error) {
	if err := l.Check(); err != nil {
		return Sizes{}, err
	}
	oldest := h.oldestInUse(keep.Last, newest)
	h.forget(oldest)
	items, err := checkpoints(store, keep.Last)
	if err != nil {
		return Sizes{}, err
	}
	games, err := l.games(oldest, newest)
	if err != nil {
		return Sizes{}, err
	}
	next := int64(0)
	if n := len(items); n > 0 {
		next = items[n-1].bytes
	}
	if n := len(games); n > 0 {
		next += 2 * games[n-1].bytes
	}
	remove, kept := thin(append(items, games...), keep, bound.Bound()-next)
	kept.Next = next
	var generations []int
	gamesGone := false
	for _, i := range remove {
		if i.checkpoint {
			generations = append(generations, i.generation)
			continue
		}
		if err := l.fsys.Remove(l.Generation(i.generation).Episodes()); err != nil {
			return Sizes{}, err
		}
		gamesGone = true
	}
	if gamesGone { // else a power cut may bring them back
		if err := l.fsys.SyncDir(l.Path(EpisodesDir)); err != nil {
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
// oldest on. It removes partial games of generations that are complete.
func (l *Locked) games(oldest, newest int) (items []item, err error) {
	entries, err := l.fsys.ReadDir(l.Path(EpisodesDir))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := l.Path(EpisodesDir, e.Name())
		kind, g := Identify(EpisodesDir + "/" + e.Name())
		switch {
		case g > newest:
			continue
		case kind == PartialEpisodes:
			if err := l.fsys.Remove(path); err != nil {
				return nil, err
			}
		case kind == Episodes:
			stat, err := l.fsys.Stat(path)
			if errors.Is(err, fs.ErrNotExist) { // a link to nowhere
				continue
			}
			if err != nil {
				return nil, err
			}
			items = append(items, item{g, false, stat.Size(), g >= oldest})
		}
	}
	return items, nil
}
