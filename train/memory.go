package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tiro/mcts"
	"tiro/net/graph"
	"tiro/selfplay"
)

// The parts of Config.Memory. What is left is room for the collector, and for
// the program itself.
const (
	gamesShare = 1. / 4 // the games that are learned from, and those being played
	fixedShare = 5. / 8 // all whose size follows from the settings
)

// need is a part of what a run needs of memory.
type need struct {
	what   string
	bytes  Bytes  // at most
	reduce string // the settings that it follows from
}

// needs returns what a run needs of memory besides its games, at most.
func needs(o *Options) []need {
	c, spec := &o.Config, o.Game.Spec()
	workers := min(o.Workers, c.GamesPerGeneration)
	lanes := min(c.Selfplay.Games, (c.GamesPerGeneration+workers-1)/workers)
	search := c.Selfplay.Search
	for _, g := range c.Selfplay.Growth {
		search.Simulations = max(search.Simulations, g.Simulations)
	}
	if c.Selfplay.FullShare < 1 {
		search.Simulations = max(search.Simulations, c.Selfplay.CheapSimulations)
	}
	trees := Bytes(search.Bytes(o.Game))
	numbers := Bytes(c.Net.Parameters(spec))
	const each = 4 // bytes of a number
	all := []need{
		{"search trees", Bytes(workers*lanes) * trees, "selfplay.games, selfplay.search.simulations, growth or max_nodes"},
		{"evaluators", Bytes(workers)*Bytes(c.Net.EvaluatorBytes(spec, c.evaluatorRows())) + Bytes(c.Net.ModelBytes(spec)), "net.channels, net.blocks or workers"},
		{"learner", numbers*each + Bytes(graph.Bytes(spec, c.Net, c.Learner.Solver, c.Learner.Batch)), "learner.batch, net.channels or net.blocks"},
		// Of a checkpoint that is read: the file, its tensors, the solver's own.
		{"checkpoint", 3 * 2 * numbers * each, "net.channels or net.blocks"},
	}
	if entries := c.Selfplay.Cache; entries > 0 {
		all = slices.Insert(all, 1, need{"caches", Bytes(workers) * Bytes(mcts.CacheBytes(entries)), "selfplay.cache or workers"})
	}
	return all
}

// evaluatorRows returns how many positions the network judges at once at most.
func (c *Config) evaluatorRows() int { return min(c.Selfplay.Games*c.Selfplay.Leaves, evaluatorRows) }

// checkMemory returns an error if what a run needs besides its games does not
// fit into its part of the memory.
func checkMemory(o *Options) error {
	if o.Config.Memory == 0 {
		return nil
	}
	sum, parts := Bytes(0), []error(nil)
	for _, n := range needs(o) {
		sum += n.bytes
		parts = append(parts, fmt.Errorf("  %s: %s; less with lower %s", n.what, n.bytes.About(), n.reduce))
	}
	room := Bytes(fixedShare * float64(o.Config.Memory))
	if sum <= room {
		return nil
	}
	least := Bytes(math.Ceil(float64(sum)/fixedShare/(1<<20))) << 20
	return fmt.Errorf("memory is %v, of which %s are for what this run may need at most besides its games, %s; want at least %v, or less of these:\n%w",
		o.Config.Memory, room.About(), sum.About(), least, errors.Join(parts...))
}

// tellMemory says what the run may take of memory and of disk.
func (r *run) tellMemory() {
	attrs := []any{"bound", r.Config.Memory}
	if r.Config.Memory > 0 {
		attrs = append(attrs, "games", Bytes(r.Config.gamesBytes()).About())
	}
	for _, n := range needs(&r.Options) {
		attrs = append(attrs, n.what, n.bytes.About())
	}
	r.Log.Info("memory at most", append(attrs, "disk", r.Config.Disk)...)
}

// gamesBytes returns how much memory games may take.
func (c *Config) gamesBytes() int64 {
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
	room, before := r.Config.gamesBytes(), r.buffer.Bytes()
	played := episodeBytes(episodes)
	r.buffer.Add(episodes)
	if newest := r.buffer.Bytes() - before; newest+played > room {
		return fmt.Errorf("memory is %v, of which %s are for games, but those of one generation take %s; want memory of at least %s, or fewer games_per_generation",
			r.Config.Memory, Bytes(room).About(), Bytes(newest+played).About(), Bytes(float64(newest+played)/gamesShare).About())
	}
	if r.buffer.Trim(window, room-played) && !r.toldMemory {
		r.toldMemory = true
		r.Log.Warn("memory has no room for the whole window of games",
			"memory", r.Config.Memory, "for games", Bytes(room).About(), "window", window, "rows", r.buffer.Len())
	}
	return nil
}
