package train

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"slices"

	"tiro/configs"
	"tiro/models"
)

// stored is what a generation has on disk of one kind: its checkpoint, or its
// games.
type stored struct {
	generation int
	bytes      int64
}

// inventory is what a run folder holds that may be thinned, of each kind by
// generation, ascending.
type inventory struct {
	checkpoints, games []stored
	other              int64 // bytes of games under way
}

// thin returns which checkpoints and games go, and how many bytes stay.
//
// The newest keep.Last checkpoints are in use, and so are the games of
// generation oldest and of those after it: they stay. Of the others those stay
// that keep wants forever, as long as no more than bound bytes stay in all. If
// they are too many, first games go, the oldest first; then checkpoints by
// their rank, and of the same rank the oldest first. That halves their number
// evenly: 0, 80, 160 … go after 40, 120, 200 …, which go after 20, 60, 100 …,
// and 0 goes last. It depends on generations and sizes alone.
func (v *inventory) thin(keep models.Keep, oldest int, bound int64) (checkpoints, games []int, left int64) {
	left = v.other
	var spareGames, spare []stored // that stay if there is room
	sort := func(s stored, inUse bool, goes []int, spare []stored) ([]int, []stored) {
		switch {
		case inUse:
		case keep.Forever(s.generation):
			spare = append(spare, s)
		default:
			return append(goes, s.generation), spare
		}
		left += s.bytes
		return goes, spare
	}
	for _, s := range v.games {
		games, spareGames = sort(s, s.generation >= oldest, games, spareGames)
	}
	for i, s := range v.checkpoints {
		checkpoints, spare = sort(s, i >= len(v.checkpoints)-keep.Last, checkpoints, spare)
	}
	slices.SortStableFunc(spare, func(a, b stored) int {
		return cmp.Compare(rank(a.generation, keep.Every), rank(b.generation, keep.Every))
	})
	drop := func(goes []int, spare []stored) []int {
		for ; len(spare) > 0 && left > bound; spare = spare[1:] {
			goes = append(goes, spare[0].generation)
			left -= spare[0].bytes
		}
		return goes
	}
	games = drop(games, spareGames)
	checkpoints = drop(checkpoints, spare)
	return checkpoints, games, left
}

// rank returns how often a generation, a multiple of every, can be halved and be
// one still; 0 the most often.
func rank(generation, every int) int { return bits.TrailingZeros(uint(generation / every)) }

// tidy removes checkpoints, and games that are out of the window, but for those
// that are to stay and for which there is room on disk, and what was left
// unfinished. It returns how many bytes stay.
func (r *run) tidy() (left int64, err error) {
	if err := r.folder.held(); err != nil {
		return 0, err
	}
	oldest := r.keepFrom()
	r.history.forget(oldest)
	if err := r.folder.removeParts(r.state.Generation); err != nil {
		return 0, err
	}
	v, err := r.inventory()
	if err != nil {
		return 0, err
	}
	checkpoints, games, left := v.thin(r.Config.Checkpoints, oldest, r.Config.Disk.Bound())
	for _, g := range games {
		whole, _ := r.folder.episodesPath(g)
		if err := r.Disk.Remove(whole); err != nil {
			return 0, err
		}
	}
	return left, r.store.Remove(checkpoints)
}

// inventory lists what the run folder holds.
func (r *run) inventory() (v inventory, err error) {
	generations, err := r.store.List()
	if err != nil {
		return v, err
	}
	for _, g := range generations {
		n, err := r.store.Bytes(g)
		if err != nil {
			return v, err
		}
		v.checkpoints = append(v.checkpoints, stored{g, n})
	}
	entries, err := r.Disk.ReadDir(r.folder.path(episodesDir))
	if err != nil {
		return v, err
	}
	for _, e := range entries {
		stat, err := r.Disk.Stat(r.folder.path(episodesDir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) { // a link to nowhere
			continue
		}
		if err != nil {
			return v, err
		}
		g, part, ok := gamesName(e.Name())
		switch {
		case ok && !part:
			v.games = append(v.games, stored{g, stat.Size()})
		case stat.Mode().IsRegular():
			v.other += stat.Size()
		}
	}
	slices.SortFunc(v.games, func(a, b stored) int { return cmp.Compare(a.generation, b.generation) })
	return v, nil
}

// checkDisk returns an error if what stays after thinning is more than it may
// be.
func (r *run) checkDisk(left int64) error {
	bound := r.Config.Disk
	if bound == 0 || left <= int64(bound) {
		return nil
	}
	v, err := r.inventory()
	if err != nil {
		return err
	}
	sum := func(all []stored) (n configs.Bytes) {
		for _, s := range all {
			n += configs.Bytes(s.bytes)
		}
		return n
	}
	return fmt.Errorf("disk is %v, but what the run goes on from takes %s: checkpoints %s, games %s; want more, or less of checkpoints.last or replay.window",
		bound, configs.Bytes(left).About(), sum(v.checkpoints).About(), (sum(v.games) + configs.Bytes(v.other)).About())
}

// checkCheckpoints returns an error if the newest checkpoints alone will be
// more than the run may have on disk.
func checkCheckpoints(o *Options) error {
	c := &o.Config
	one := c.checkpointBytes(o.Game.Spec())
	if all := one * configs.Bytes(c.Checkpoints.Last); c.Disk > 0 && all > c.Disk {
		return fmt.Errorf("disk is %v, but the newest %d checkpoints take %s, %s each; want more, or less of checkpoints.last or net",
			c.Disk, c.Checkpoints.Last, all.About(), one.About())
	}
	return nil
}
