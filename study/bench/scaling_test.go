package bench_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/mnk"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/study/bench"
)

func scaling(t *testing.T, threads int) bench.Scaling {
	_, options, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	c := recipe.Default("mnk")
	c.GamesPerGeneration, c.Learner.BatchSize = 8, 16
	c.Net = net.Config{Channels: 4, OutcomeChannels: 1}
	c.Selfplay.Search.Simulations = 4
	return bench.Scaling{
		Game: game, Config: c, Backend: kernel.Best(), Threads: threads, Dir: t.TempDir(), Clock: time.Now, Finished: func() {},
	}
}

func TestScaling(t *testing.T) {
	s := scaling(t, 3)
	require.Equal(t, []int{1, 2, 3}, s.Counts())
	finished := 0
	s.Finished = func() { finished++ }
	all, err := s.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, s.Generations(), finished)
	require.Len(t, all, 3)
	require.Equal(t, all[0].Measured, all[0].Limit)
	for _, r := range all {
		for _, v := range []bench.Speeds{r.Measured, r.Limit} {
			require.Positive(t, v.Evaluations)
			require.Positive(t, v.Samples)
			require.InDelta(t, v.Generation, v.Selfplay+v.Learning+v.Rest, 1e-9)
		}
	}
	var table bytes.Buffer
	require.NoError(t, bench.WriteTable(&table, all))
	require.Equal(t, 2+len(all), strings.Count(table.String(), "\n"))
}

// TestScalingStops: a training that fails ends the others.
func TestScalingStops(t *testing.T) {
	s := scaling(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	s.Finished = cancel
	_, err := s.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWriteTable(t *testing.T) {
	var table bytes.Buffer
	require.NoError(t, bench.WriteTable(&table, []bench.Scaled{{
		Threads: 2, Measured: bench.Speeds{Evaluations: 150, Selfplay: 1, Learning: 2, Rest: 0.5, Generation: 3.5},
		Limit: bench.Speeds{Evaluations: 200, Generation: 2.8},
	}}))
	lines := strings.Split(table.String(), "\n")
	require.Equal(t, []string{"2", "150", "75%", "0", "-", "1.00", "2.00", "0.50", "3.50", "2.80", "80%"}, strings.Fields(lines[2]))
}
