package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tiro/configs"
	"tiro/mcts"
	"tiro/net/graph"
	"tiro/replay"
	"tiro/rundir"
	"tiro/selfplay"
)

// The parts of Config.Memory. What is left is room for the collector, and for
// the program itself.
const (
	gamesShare = 1. / 4 // the games that are learned from, and those being played
	fixedShare = 5. / 8 // all whose size follows from the settings
)

// numberBytes is the size of a number of a network.
const numberBytes = 4

// need is a part of what a run needs of memory.
type need struct {
	what   string
	bytes  configs.Bytes // at most
	reduce string        // the settings that it follows from
}

// needs returns what a run needs of memory besides its games, at most.
func needs(o *Options) []need {
	c, spec := &o.Config, o.Game.Spec()
	workers := min(o.Workers, c.GamesPerGeneration)
	lanes := min(c.Selfplay.ConcurrentGames, (c.GamesPerGeneration+workers-1)/workers)
	search := c.Selfplay.Search
	search.Simulations = c.Selfplay.MaxSimulations()
	trees := configs.Bytes(search.Bytes(o.Game))
	numbers := configs.Bytes(c.Net.Parameters(spec))
	checkpoint := c.CheckpointBytes(spec)
	weights := numbers * numberBytes
	if c.Learner.EMADecay > 0 {
		weights *= 2
	}
	all := []need{
		{"search trees", configs.Bytes(workers*lanes) * trees, "selfplay.concurrent_games, simulations or max_nodes"},
		{"evaluators", configs.Bytes(workers)*configs.Bytes(c.Net.EvaluatorBytes(spec, maxEvaluatorRows(c))) + configs.Bytes(c.Net.ModelBytes(spec)), "net or workers"},
		{"learner", weights + configs.Bytes(graph.Bytes(spec, c.Net, c.Learner.Optimizer, c.Learner.BatchSize)), "learner.batch_size or net"},
		// Of what a checkpoint holds besides the weights, when it is read: the
		// file, its tensors, the optimizer's own.
		{"checkpoint", 3 * (checkpoint - numbers*numberBytes), "net"},
	}
	if entries := c.Selfplay.CachePositions; entries > 0 {
		all = slices.Insert(all, 1, need{"caches", configs.Bytes(workers) * configs.Bytes(mcts.CacheBytes(entries)), "selfplay.cache_positions or workers"})
	}
	return all
}

// maxEvaluatorRows returns how many positions the network judges at once at most.
func maxEvaluatorRows(c *rundir.Config) int {
	return min(c.Selfplay.ConcurrentGames*c.Selfplay.MaxLeavesPerSearch, evaluatorRows)
}

// checkMemory returns an error if what a run needs besides its games does not
// fit into its part of the memory.
func checkMemory(o *Options) error {
	if o.Config.Memory == 0 {
		return nil
	}
	all := needs(o)
	slices.SortStableFunc(all, func(a, b need) int { return cmp.Compare(b.bytes, a.bytes) })
	sum, parts := configs.Bytes(0), make([]string, len(all))
	for i, n := range all {
		sum += n.bytes
		parts[i] = fmt.Sprintf("%s %s (by %s)", n.what, n.bytes.About(), n.reduce)
	}
	room := configs.Bytes(fixedShare * float64(o.Config.Memory))
	if sum <= room {
		return nil
	}
	return fmt.Errorf("memory is %v, of which %s are for what is no game, but at its largest that takes %s; want at least %v, or less of: %s",
		o.Config.Memory, room.About(), sum.About(), toHold(sum, fixedShare), strings.Join(parts, ", "))
}

// toHold returns the memory, in whole MiB, of which b is the given share.
func toHold(b configs.Bytes, share float64) configs.Bytes {
	return configs.Bytes(math.Ceil(float64(b)/share/(1<<20))) << 20
}

// tellMemory says what the run may take of memory and of disk.
func (r *run) tellMemory() {
	attrs := []any{"bound", r.Config.Memory}
	if r.Config.Memory > 0 {
		attrs = append(attrs, "games", configs.Bytes(gamesBytes(&r.Config)).About())
	}
	for _, n := range needs(&r.Options) {
		attrs = append(attrs, n.what, n.bytes.About())
	}
	r.Log.Info("memory at most", append(attrs, "disk", r.Config.Disk)...)
}

// gamesBytes returns how much memory games may take.
func gamesBytes(c *rundir.Config) int64 {
	if c.Memory == 0 {
		return math.MaxInt64
	}
	return int64(gamesShare * float64(c.Memory))
}

// takeIn puts the games of a generation into the buffer, and drops those that
// are out of the window of that many rows, or for which there is no memory. It
// goes by the games alone, so that every machine drops the same, and leaves room
// for the next generation to be as large as this one as it is played.
func (r *run) takeIn(episodes []selfplay.Episode, window int) error {
	room, before := gamesBytes(&r.Config), r.buffer.Bytes()
	played := replay.EpisodeBytes(episodes)
	r.buffer.Add(episodes)
	if newest := r.buffer.Bytes() - before; newest+played > room {
		return fmt.Errorf("memory is %v, of which %s are for games, but those of one generation take %s; want at least %v, or fewer games_per_generation",
			r.Config.Memory, configs.Bytes(room).About(), configs.Bytes(newest+played).About(), toHold(configs.Bytes(newest+played), gamesShare))
	}
	if r.buffer.Trim(window, room-played) && !r.toldMemory {
		r.toldMemory = true
		r.Log.Warn("memory has no room for the whole window of games",
			"memory", r.Config.Memory, "for games", configs.Bytes(room).About(), "window", window, "rows", r.buffer.Len())
	}
	return nil
}
