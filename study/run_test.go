package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/models/card"
	"tiro/rundir"
)

// runWith returns a run of which generation g took took[g] evaluations and two hours of CPU
// time.
func runWith(t *testing.T, took []int) *Run {
	game, err := games.New("mnk")
	require.NoError(t, err)
	s := &Run{Origin: Origin{Game: game, Generation: len(took) - 1}}
	require.NoError(t, s.recount(linesOf(took)))
	return s
}

// linesOf returns what metrics.jsonl tells.
func linesOf(took []int) (lines []rundir.Metrics) {
	for g, n := range took[1:] {
		m := rundir.Metrics{Generation: g + 1, Games: 10, TotalSamples: 100 * (g + 1)}
		if n > 0 {
			m.Machine = &rundir.Machine{Workers: 1000, Seconds: 9, CPUSeconds: 7200, SelfplayCPUSeconds: 3600, LearnCPUSeconds: 1800, Evaluations: n, Backend: "go"}
		}
		lines = append(lines, m)
	}
	return lines
}

func TestRecount(t *testing.T) {
	took := []int{0, 7, 0, 5, 9}
	s := runWith(t, took)
	require.Equal(t, 1, s.unmeasured)
	require.Equal(t, card.Builder{Backend: "go"}, s.trained)
	require.Equal(t, []card.Progress{
		{},
		{Generation: 1, Games: 10, Samples: 100, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 2, Games: 20, Samples: 200, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 3, Games: 30, Samples: 300, Evaluations: 12, CoreHours: 4, SelfplayCoreHours: 2, LearnCoreHours: 1},
		{Generation: 4, Games: 40, Samples: 400, Evaluations: 21, CoreHours: 6, SelfplayCoreHours: 3, LearnCoreHours: 1.5},
	}, s.progress)

	lines := linesOf(took)
	s = &Run{Origin: Origin{Generation: 2}}
	require.NoError(t, s.recount(lines), "later ones do not matter")
	require.Len(t, s.progress, 3)
	lines[1].Machine = &rundir.Machine{Backend: "avx2"}
	lines[2].Machine.EarlierGames = 1
	s = &Run{Origin: Origin{Generation: 3}}
	require.NoError(t, s.recount(lines))
	require.Equal(t, card.Builder{Backend: "go, avx2"}, s.trained)
	require.Equal(t, 2, s.unmeasured, "CPU time is unknown of one, and games were played before of another")
	require.ErrorContains(t, s.recount(lines[1:]), "metrics.jsonl has no generation 1; a card needs all up to 3")
	require.ErrorContains(t, s.recount(lines[:2]), "generation 3;")
}
