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

// Retention selects the checkpoints that a run keeps: the newest, and one of every n
// generations forever.
type Retention struct {
	Last  int `yaml:"last"`  // number of newest checkpoints to keep; at least 1
	Every int `yaml:"every"` // checkpoints of generations divisible by this number, including 0, are kept forever; 0 keeps only the newest
}

// maxRetention bounds the fields of Retention, so that no product with the size of a checkpoint
// overflows.
const maxRetention = 1_000_000

// Forever reports whether the checkpoint of a generation is kept however old it is.
func (r Retention) Forever(generation int) bool { return r.Every > 0 && generation%r.Every == 0 }

// KeptBefore returns the newest generation before the given one that is kept forever, or 0 if
// there is none but the first.
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
	f.Check(r.Every >= 0 && r.Every <= maxRetention, "every", r.Every, "0 (none) to 1000000")
	return f.Err()
}

// ErrDiskBudget is wrapped by errors about a run that needs more disk space than its budget.
var ErrDiskBudget = errors.New("disk budget reached")

// Sizes is the size of a run on disk, in bytes.
type Sizes struct {
	Checkpoints, Games int64 // of completed generations
	Next               int64 // estimated size of the next generation, before anything is removed
}

// Total returns the size of the checkpoints and games.
func (s Sizes) Total() int64 { return s.Checkpoints + s.Games }

func (s *Sizes) add(i item, bytes int64) {
	if i.checkpoint {
		s.Checkpoints += bytes
	} else {
		s.Games += bytes
	}
}

// Check returns ErrDiskBudget if the next generation does not fit into bound.
func (s Sizes) Check(bound configs.Bytes) error {
	if s.Total()+s.Next <= bound.Bound() {
		return nil
	}
	about := func(n int64) string { return configs.Bytes(n).About() }
	return fmt.Errorf("%w: disk is %v, but checkpoints take %s, games in the replay window %s, and the next generation needs about %s: raise disk, or lower checkpoints.last, replay.window or net",
		ErrDiskBudget, bound, about(s.Checkpoints), about(s.Games), about(s.Next))
}

// MaxLog is the largest size of a run's log in bytes. A run has two logs.
const MaxLog = 8 << 20

// item is a checkpoint or the games of a generation.
type item struct {
	generation int
	checkpoint bool
	bytes      int64
	inUse      bool // the run needs it
}

// thin returns the items to remove, and the sizes of the others. It keeps the items in use, and
// those that r keeps forever as long as the total is at most bound bytes. Above that, it removes
// games before checkpoints and older ones before newer ones. Checkpoint 0, which is the zero of
// the ratings, goes last. The choice depends only on generations and sizes.
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

// Tidy removes checkpoints, and games outside the replay window, that need not be kept or for
// which there is no room, and unfinished files. In use are the newest keep.Last checkpoints and,
// according to h, the games of their windows, so that the run can resume from each of them. newest
// is the newest complete generation. Tidy returns the sizes of the remaining files.
//
// Tidy leaves room for a checkpoint and games as large as the newest. Games need twice their size,
// because the partial and the complete file exist at the same time. Files of the next generation
// do not count, so that the result does not depend on whether that generation was interrupted.
func (l *Locked) Tidy(keep Retention, bound configs.Bytes, store *models.Store, h History, newest int) (Sizes, error) {
	if err := l.Check(); err != nil {
		return Sizes{}, err
	}
	oldest := h.oldest(newest - keep.Last + 1)
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
	if gamesGone { // without SyncDir a power cut may restore them
		if err := l.fsys.SyncDir(l.Path(EpisodesDir)); err != nil {
			return Sizes{}, err
		}
	}
	return kept, store.Remove(generations)
}

// checkpoints lists the checkpoints, of which the newest inUse are in use.
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

// games lists the games of complete generations, in use from generation oldest on. It removes
// partial episode files of complete generations.
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
			if errors.Is(err, fs.ErrNotExist) { // a dangling link
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
