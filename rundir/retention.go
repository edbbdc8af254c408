package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
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

// Sizes says how many bytes a run has on disk, and what it will need besides until
// the next generation is complete.
type Sizes struct {
	Checkpoints, Games int64 // of complete generations
	InUse              int64 // of these, what the run cannot go on without
	Next               int64 // what the next generation writes before anything can be removed
	Rest               int64 // logs, metrics and the like, at most
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

// need returns the bytes of what a run needs to go on.
func (s Sizes) need() int64 { return s.Total() + s.Next + s.Rest }

// Free returns how many bytes of what a run may have on disk it does not need to go on.
func (s Sizes) Free(bound configs.Bytes) int64 { return max(0, bound.Bound()-s.need()) }

// Check returns an error if these, the sizes of what a run needs to go on, are
// more than it may have on disk.
func (s Sizes) Check(bound configs.Bytes) error {
	need := s.need()
	if need <= bound.Bound() {
		return nil
	}
	about := func(n int64) string { return configs.Bytes(n).About() }
	return fmt.Errorf("disk is %v, but what the run needs to go on takes %s: checkpoints %s, games %s, the next generation %s, logs and metrics %s; want more, or less of checkpoints.last, games_per_generation, generation_schedule or net",
		bound, about(need), about(s.Checkpoints), about(s.Games), about(s.Next), about(s.Rest))
}

// CheckLater returns an error if there is too little disk for what is in use once
// the next generation needs so many bytes more.
func (s Sizes) CheckLater(bound configs.Bytes, more int64) error {
	if s.InUse+s.Next+s.Rest+more <= bound.Bound() {
		return nil
	}
	s.Next += more
	return s.Check(bound)
}

// Bounds of the files that grow, in bytes.
const (
	leastLog    = 16 << 10 // of a log, however little disk there is
	mostLog     = 8 << 20
	logPart     = 64       // otherwise one in so many bytes of the disk
	metricsLine = 2 << 10  // a line of metrics, rather more than it takes
	otherFiles  = 32 << 10 // the configuration, and its successor that is being written; the lock
	GrownInfo   = 8 << 10  // by which one checkpoint may be larger than the one before
)

// MaxLog returns how long a log of a run with a bound on its disk may get, in bytes.
// There are two.
func MaxLog(bound configs.Bytes) int64 {
	if bound == 0 {
		return mostLog
	}
	return min(mostLog, max(leastLog, int64(bound)/logPart))
}

// Rest returns what everything but checkpoints and games takes on disk up to a
// generation. It does not look at the disk, since what a log holds depends on how
// often the run was interrupted, and what stays of it must not.
func Rest(bound configs.Bytes, generation int) int64 {
	return 2*MaxLog(bound) + otherFiles + metricsBytes(generation)
}

// metricsBytes returns how long metrics.jsonl is with a generation.
func metricsBytes(generation int) int64 { return metricsLine * int64(generation) }

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
//
// The next generation needs room too: for its checkpoint, and for its games twice,
// whose partial file is expected to take that many bytes. Files of the next
// generation do not count besides. So what stays does not depend on whether the
// generation was interrupted.
func (l *Locked) Tidy(keep Retention, bound configs.Bytes, store *models.Store, h History, newest int, partial int64) (Sizes, error) {
	if err := l.Check(); err != nil {
		return Sizes{}, err
	}
	oldest := h.oldestInUse(keep.Last, newest)
	h.forget(oldest)
	items, err := checkpoints(store, keep.Last)
	if err != nil {
		return Sizes{}, err
	}
	// When metrics.jsonl is written again, no checkpoint is being written.
	next := 2*partial + metricsBytes(newest+1)
	if len(items) > 0 {
		next = 2*partial + max(items[len(items)-1].bytes+GrownInfo, metricsBytes(newest+1))
	}
	games, err := l.games(oldest, newest)
	if err != nil {
		return Sizes{}, err
	}
	rest, items := Rest(bound, newest+1), append(items, games...)
	remove, kept := thin(items, keep, bound.Bound()-next-rest)
	kept.Next, kept.Rest = next, rest
	for _, i := range items {
		if i.inUse {
			kept.InUse += i.bytes
		}
	}
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

// WindowRoom returns how many samples a window may have so that its games stay
// within the disk together with the checkpoints, the games of the windows before,
// and a next generation whose partial file takes so many bytes. The newest
// generation, of which so many are samples and which is not in the history yet,
// is in the window in any case. Generations are taken whole; if all fit, it
// returns math.MaxInt.
func (l *Locked) WindowRoom(keep Retention, bound configs.Bytes, store *models.Store, h History, newest, samples int, partial int64) (int, error) {
	generations, err := store.List()
	if err != nil || bound == 0 || len(generations) == 0 {
		return math.MaxInt, err
	}
	one, err := store.Bytes(generations[len(generations)-1])
	if err != nil {
		return 0, err
	}
	last := int64(keep.Last)
	one += GrownInfo
	room := int64(bound) - Rest(bound, newest+1) - last*one - max(one, metricsBytes(newest+1)) - 2*partial
	all := 0
	for g := newest; g > 0; g-- {
		stat, err := l.fsys.Stat(l.Generation(g).Episodes())
		m, known := h[g]
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !known && g < newest:
			return math.MaxInt, nil
		case err != nil:
			return 0, err
		case g == newest:
			room -= last * stat.Size() // itself, and what the windows before hold besides
		default:
			if room -= stat.Size(); room < 0 {
				return all, nil
			}
			samples = m.Samples
		}
		all += samples
	}
	return math.MaxInt, nil
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
