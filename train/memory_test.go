package train

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/configs"
	"tiro/env/games"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
)

// used returns the memory of a run without its games.
func used(o *Options) (all configs.Bytes) {
	for _, p := range memoryParts(o) {
		all += p.bytes
	}
	return all
}

// TestShippedConfigsFit: the bundled configurations fit into their own limits on machines with up
// to 64 cores.
func TestShippedConfigsFit(t *testing.T) {
	files, err := filepath.Glob("../configs/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		c := recipe.Default("")
		require.NoError(t, c.Load(file))
		game, err := games.New(c.Game)
		require.NoError(t, err)
		for _, workers := range []int{2, 8, 64} {
			o := Options{Game: game, Config: c, Workers: workers}
			require.NoError(t, checkMemory(&o), "%s, %d workers", file, workers)
			require.NoError(t, o.Config.CheckDisk(game.Spec()))
			t.Logf("%s, %d workers: %s", filepath.Base(file), workers, used(&o).About())
		}
	}
}

// TestMemoryOnADevice: runs of the bundled configurations stay within their limits with the games
// at a time that suit a device, which are more than without one.
func TestMemoryOnADevice(t *testing.T) {
	for _, name := range []string{"coerceo", "connect4", "go"} {
		c, err := recipe.Shipped(name)
		require.NoError(t, err)
		o := Options{Game: gameOf(t, name), Config: c, Workers: 16}
		const many = 1 << 20 // games
		on, workers := c.Selfplay.OnDevice(o.Game, o.Workers, 4096, treeMemory(&o))
		trees, caches := SearchBytes(o.Game, &on, many, workers)
		without, same := SearchBytes(o.Game, &c.Selfplay, many, o.Workers)
		require.Greater(t, trees, without)
		require.LessOrEqual(t, caches, same)
		rest := configs.Bytes(trees)
		for _, p := range memoryParts(&o) {
			if p.name != searchTrees {
				rest += p.bytes
			}
		}
		require.LessOrEqual(t, programMemory+rest+configs.Bytes(windowBytes(&c)), c.Memory)
		t.Logf("%s: %d games at a time instead of %d", name, workers*on.ConcurrentGames, o.Workers*c.Selfplay.ConcurrentGames)
	}
}

// TestMemoryUseGrowsWithItsSettings: each setting that the error names has an effect.
func TestMemoryUseGrowsWithItsSettings(t *testing.T) {
	base := Options{Game: gameOf(t, "connect4"), Config: recipe.Default("connect4"), Workers: 4}
	tests := []struct {
		name   string
		change func(o *Options)
	}{
		{"workers", func(o *Options) { o.Workers++ }},
		{"selfplay.concurrent_games", func(o *Options) { o.Config.Selfplay.ConcurrentGames++ }},
		{"selfplay.cache_positions", func(o *Options) { o.Config.Selfplay.CachePositions *= 2 }},
		{"selfplay.search.simulations", func(o *Options) { o.Config.Selfplay.Search.Simulations++ }},
		{"selfplay.simulation_schedule", func(o *Options) {
			require.NoError(t, configs.Set(&o.Config, "selfplay.simulation_schedule=[{generation: 9, simulations: 99}]"))
		}},
		{"generation_schedule", func(o *Options) {
			require.NoError(t, configs.Set(&o.Config, "generation_schedule=[{generation: 9, games: 999}]"))
		}},
		{"selfplay.search.max_nodes", func(o *Options) { o.Config.Selfplay.Search.MaxNodes = 1000 }},
		{"net.channels", func(o *Options) { o.Config.Net.Channels += 16 }},
		{"net.blocks", func(o *Options) { o.Config.Net.Blocks++ }},
		{"net.ownership", func(o *Options) { o.Config.Net.Ownership = true }},
		{"learner.batch_size", func(o *Options) { o.Config.Learner.BatchSize++ }},
	}
	for _, test := range tests {
		o := base
		test.change(&o)
		require.Greater(t, used(&o), used(&base), test.name)
	}
	o := base // all games are played concurrently: no more trees for more workers
	o.Config.GamesPerGeneration = 8
	many := o
	many.Workers = 8
	trees := func(o *Options) memoryPart {
		parts := memoryParts(o)
		return parts[slices.IndexFunc(parts, func(p memoryPart) bool { return p.name == "search trees" })]
	}
	require.Equal(t, trees(&o), trees(&many))
}

// TestMemoryUseCoversARun: a run's memory is at most the amount computed from its settings, and
// not much less.
func TestMemoryUseCoversARun(t *testing.T) {
	o := Options{Dir: t.TempDir(), Game: gameOf(t, "connect4"), Config: recipe.Default("connect4"), Workers: 2, Backend: kernel.Best(), Generations: 2}
	c := &o.Config
	c.GamesPerGeneration, c.Selfplay.ConcurrentGames, c.Selfplay.CachePositions, c.Learner.BatchSize, c.Replay.SampleReuse = 32, 16, 4000, 64, 1
	c.Net = net.Config{Channels: 32, Blocks: 2, Pool: true, OutcomeChannels: 4, Hidden: 16}
	watched := &live{}
	before := watched.read()
	o.Events = watched.progress
	require.NoError(t, Run(context.Background(), o))
	most := configs.Bytes(watched.most - before)
	t.Logf("at most %s in use, %s computed", most.About(), used(&o).About())
	require.Less(t, most, used(&o))
	require.Greater(t, most, used(&o)/4)
}

// live samples the size of the live heap.
type live struct {
	calls int
	most  int64
}

func (l *live) progress(e Event) {
	if _, ok := e.(Advanced); !ok {
		return
	}
	if l.calls++; l.calls%16 == 0 {
		l.most = max(l.most, l.read())
	}
}

func (l *live) read() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
