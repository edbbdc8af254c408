package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/mcts"
	"tiro/recipe"
	"tiro/selfplay"
)

// Memory of the process apart from a run, in bytes: the resident memory of runs of the smallest
// networks, rounded up.
const (
	CodeMemory    = 32 << 20 // code and constants of the program, and memory that Go has freed but not returned yet
	RuntimeMemory = 8 << 20  // Go's runtime, stacks and libraries
)

// programMemory is the memory of the process apart from a run.
const programMemory configs.Bytes = CodeMemory + RuntimeMemory

// windowPart determines the share of a run's memory that the window of games may take:
// 1/windowPart. A larger window is shortened.
const windowPart = 4

// windowBytes returns the maximum memory of the window of games. It depends on the configuration
// only, so that the window is the same on every machine.
func windowBytes(c *recipe.Config) int64 {
	if c.Memory == 0 {
		return c.Memory.Bound()
	}
	return int64(max(0, c.Memory-programMemory) / windowPart)
}

// memoryPart is a part of the memory of a run.
type memoryPart struct {
	name    string
	bytes   configs.Bytes // maximum
	setting string        // setting to lower
}

// gameBytes is the approximate memory of a finished game of some dozens of plies, and of its
// entries in the lists of a generation.
const gameBytes = 4 << 10

// numberBytes is the size of a network's parameter.
const numberBytes = 4

// searchTrees is the name of a part of the memory.
const searchTrees = "search trees"

// SearchBytes estimates the memory of the search trees and caches of workers that play the given
// number of games. The configuration limits the number of concurrent games.
func SearchBytes(game env.Game, c *selfplay.Config, games, workers int) (trees, caches int64) {
	search := c.Search
	search.Simulations = c.MaxSimulations()
	trees = int64(workers*min(c.ConcurrentGames, (games+workers-1)/workers)) * search.Bytes(game)
	if c.CachePositions > 0 {
		caches = int64(workers) * mcts.CacheBytes(c.CachePositions)
	}
	return trees, caches
}

// memoryParts returns the parts of a run's memory except the window, the largest first.
func memoryParts(o *Options) []memoryPart {
	c, spec := &o.Config, o.Game.Spec()
	most := c.MaxGames()
	workers := min(o.Workers, most)
	trees, caches := SearchBytes(o.Game, &c.Selfplay, most, workers)
	weights := configs.Bytes(c.Net.Parameters(spec)) * numberBytes
	copies := configs.Bytes(1)
	for _, another := range []bool{c.Learner.EMADecay > 0, c.Selfplay.Asynchronous} {
		if another {
			copies++
		}
	}
	parts := []memoryPart{
		{"games of a generation", configs.Bytes(most) * gameBytes, "games_per_generation"},
		{searchTrees, configs.Bytes(trees), "selfplay.concurrent_games, simulations or max_nodes"},
		{"caches", configs.Bytes(caches), "selfplay.cache_positions or workers"},
		{"evaluators", configs.Bytes(workers)*configs.Bytes(c.Net.EvaluatorBytes(spec, EvaluatorRows(&c.Selfplay))) + configs.Bytes(c.Net.ModelBytes(spec)), "net or workers"},
		{"learner", copies*weights + configs.Bytes(trainerBytes(o)), "learner.batch_size or net"},
		{"duels", configs.Bytes(duelBytes(o)), "duels.share or workers"},
	}
	// A Selfplayer may report its memory besides the games.
	if s, ok := o.Selfplayer.(interface{ Bytes() int64 }); ok {
		parts = append(parts, memoryPart{"server and messages", configs.Bytes(s.Bytes()), ""})
	}
	slices.SortStableFunc(parts, func(a, b memoryPart) int { return cmp.Compare(b.bytes, a.bytes) })
	return parts
}

// unlimitedTrees is the memory for search trees on a device in a run without a limit, in bytes.
const unlimitedTrees = 4 << 30

// treeMemory returns the memory that search trees on a device may take: the memory of the run that
// nothing else needs.
func treeMemory(o *Options) int64 {
	if o.Config.Memory == 0 {
		return unlimitedTrees
	}
	left := o.Config.Memory - programMemory - configs.Bytes(windowBytes(&o.Config))
	for _, p := range memoryParts(o) {
		if p.name != searchTrees {
			left -= p.bytes
		}
	}
	return int64(max(0, left))
}

// checkMemory returns an error if the run may need more memory than configured.
func checkMemory(o *Options) error {
	if o.Config.Memory == 0 {
		return nil
	}
	sum := configs.Bytes(0)
	var texts []string
	lower := ""
	for _, p := range memoryParts(o) {
		if sum += p.bytes; p.bytes > 0 {
			texts = append(texts, p.name+" "+p.bytes.About())
		}
		lower = cmp.Or(lower, p.setting)
	}
	if programMemory+sum+configs.Bytes(windowBytes(&o.Config)) <= o.Config.Memory {
		return nil
	}
	window := sum / (windowPart - 1)
	need := programMemory + sum + window
	return fmt.Errorf("memory is %v, but the run needs up to %v: the program %v, %s, window of games %s: raise memory or lower %s",
		o.Config.Memory, (need+1<<20-1)>>20<<20, programMemory, strings.Join(texts, ", "), window.About(), lower)
}

// reportMemory reports the run's limits on memory and disk space.
func (r *run) reportMemory() {
	attrs := []any{"bound", r.Config.Memory, "window", configs.Bytes(windowBytes(&r.Config)).About()}
	for _, p := range memoryParts(&r.Options) {
		if p.bytes > 0 {
			attrs = append(attrs, p.name, p.bytes.About())
		}
	}
	limit := func(b configs.Bytes) string {
		if b == 0 {
			return "unlimited"
		}
		return fmt.Sprintf("at most %v", b)
	}
	r.Events.Info("memory " + limit(r.Config.Memory) + ", disk " + limit(r.Config.Disk))
	r.Events.Detail("parts of the memory", attrs...)
}
