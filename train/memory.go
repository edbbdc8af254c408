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
	"tiro/recipe"
)

// What the process takes besides a run, in bytes: measured by the resident memory
// of runs of the smallest networks, and rounded up.
const (
	CodeMemory    = 32 << 20 // code and constants of the program, and what Go has freed but not yet given back
	RuntimeMemory = 8 << 20  // Go's runtime, stacks, and what libraries set up
)

// Parts of Config.Memory, without what the process takes besides the run. What is
// left is room for the garbage collector.
const (
	gamesPart = 1. / 4 // games: those that are learned from, and those being played
	fixedPart = 5. / 8 // everything whose size follows from the settings
)

// use is a part of what a run uses of memory besides its games.
type use struct {
	name     string
	bytes    configs.Bytes // at most
	settings string        // that it follows from
}

// memoryUse returns what the run uses of memory besides its games, at most.
func memoryUse(o *Options) []use {
	c, spec := &o.Config, o.Game.Spec()
	most := c.MaxGames()
	workers := min(o.Workers, most)
	games := workers * min(c.Selfplay.ConcurrentGames, (most+workers-1)/workers)
	search := c.Selfplay.Search
	search.Simulations = c.Selfplay.MaxSimulations()
	weights := configs.Bytes(c.Net.Parameters(spec)) * numberBytes
	averaged := configs.Bytes(0)
	if c.Learner.EMADecay > 0 {
		averaged = weights
	}
	earlier := configs.Bytes(0)
	if c.Selfplay.Asynchronous {
		earlier = weights
	}
	caches := configs.Bytes(0)
	if positions := c.Selfplay.CachePositions; positions > 0 {
		caches = configs.Bytes(workers) * configs.Bytes(mcts.CacheBytes(positions))
	}
	return []use{
		{"lists of games", configs.Bytes(most) * listedBytes, "games_per_generation or generation_schedule"},
		{"search trees", configs.Bytes(games) * configs.Bytes(search.Bytes(o.Game)), "selfplay.concurrent_games, simulations or max_nodes"},
		{"caches", caches, "selfplay.cache_positions or workers"},
		{"evaluators", configs.Bytes(workers)*configs.Bytes(c.Net.EvaluatorBytes(spec, EvaluatorRows(&c.Selfplay))) + configs.Bytes(c.Net.ModelBytes(spec)), "net or workers"},
		{"network of the generation before", earlier, "net or selfplay.asynchronous"},
		{"learner", weights + averaged + configs.Bytes(graph.Bytes(spec, c.Net, c.Learner.Optimizer, c.Learner.BatchSize)), "learner.batch_size or net"},
		{"server and messages", configs.Bytes(selfplayerBytes(o)), "playing on several machines"},
		{"duels", configs.Bytes(duelBytes(o)), "duels.share or workers"},
		// When a checkpoint is read, all but its weights is there three times: as
		// the file, as its tensors, and in the optimizer.
		{"checkpoint", 3 * (c.CheckpointBytes(spec) - weights), "net"},
	}
}

// selfplayerBytes returns what the Selfplayer takes of memory besides what plays the games,
// if it says so.
func selfplayerBytes(o *Options) int64 {
	if s, ok := o.Selfplayer.(interface{ Bytes() int64 }); ok {
		return s.Bytes()
	}
	return 0
}

// listedBytes is what lists of all games of a generation take for each: which are
// still to be played, which have finished, with the room that append leaves, and
// which have been seen (describeGames).
const listedBytes = 500

// numberBytes is the size of a number of a network.
const numberBytes = 4

// checkMemory returns an error if what the run uses besides its games does not
// fit into its part of the memory.
func checkMemory(o *Options) error {
	if o.Config.Memory == 0 {
		return nil
	}
	all := memoryUse(o)
	slices.SortStableFunc(all, func(a, b use) int { return cmp.Compare(b.bytes, a.bytes) })
	sum, parts := configs.Bytes(0), []string{}
	for _, u := range all {
		if u.bytes > 0 {
			sum += u.bytes
			parts = append(parts, fmt.Sprintf("%s %s (by %s)", u.name, u.bytes.About(), u.settings))
		}
	}
	room := part(o.Config.Memory, fixedPart)
	if sum <= room {
		return nil
	}
	return fmt.Errorf("memory is %v, of which the program itself takes %v and %s may go to everything except games, but that needs up to %s; want at least %v, or less of: %s",
		o.Config.Memory, programMemory, room.About(), sum.About(), whole(sum, fixedPart), strings.Join(parts, ", "))
}

// programMemory is what the process takes besides a run.
const programMemory configs.Bytes = CodeMemory + RuntimeMemory

// part returns a part of an amount of memory, without what the process takes
// besides the run.
func part(memory configs.Bytes, part float64) configs.Bytes {
	return configs.Bytes(part * float64(max(0, memory-programMemory)))
}

// whole returns the amount of memory, in whole MiB, that has b as the given part.
func whole(b configs.Bytes, part float64) configs.Bytes {
	return programMemory + configs.Bytes(math.Ceil(float64(b)/part/(1<<20)))<<20
}

// gamesMemory returns how much memory games may take.
func gamesMemory(c *recipe.Config) int64 {
	if c.Memory == 0 {
		return c.Memory.Bound()
	}
	return int64(part(c.Memory, gamesPart))
}

// reportMemory reports what the run may use of memory and of disk.
func (r *run) reportMemory() {
	attrs := []any{"bound", r.Config.Memory}
	if r.Config.Memory > 0 {
		attrs = append(attrs, "games", configs.Bytes(gamesMemory(&r.Config)).About())
	}
	for _, u := range memoryUse(&r.Options) {
		if u.bytes > 0 {
			attrs = append(attrs, u.name, u.bytes.About())
		}
	}
	r.Events.Info(fmt.Sprintf("memory at most %v, disk at most %v", r.Config.Memory, r.Config.Disk))
	r.Events.Detail("parts of the memory", attrs...)
}
