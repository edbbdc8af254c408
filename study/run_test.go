package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
	"tiro/rundir"
)

// linesOf returns the metrics in metrics.jsonl.
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

func TestCount(t *testing.T) {
	took := []int{0, 7, 0, 5, 9}
	s := &Run{Origin: Origin{Generation: 4}}
	require.NoError(t, s.count(linesOf(took)))
	require.Equal(t, 1, s.costs[4].Unmeasured)
	require.Equal(t, card.Builder{Backend: "go"}, s.costs[4].Trained)
	var progress []card.Effort
	for _, c := range s.costs {
		progress = append(progress, c.Effort)
	}
	require.Equal(t, []card.Effort{
		{},
		{Generation: 1, Games: 10, Samples: 100, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 2, Games: 20, Samples: 200, Evaluations: 7, CoreHours: 2, SelfplayCoreHours: 1, LearnCoreHours: 0.5},
		{Generation: 3, Games: 30, Samples: 300, Evaluations: 12, CoreHours: 4, SelfplayCoreHours: 2, LearnCoreHours: 1},
		{Generation: 4, Games: 40, Samples: 400, Evaluations: 21, CoreHours: 6, SelfplayCoreHours: 3, LearnCoreHours: 1.5},
	}, progress)

	lines := linesOf(took)
	lines[1].Machine = &rundir.Machine{Backend: "avx2"}
	lines[2].Machine.EarlierGames = 1
	s = &Run{Origin: Origin{Generation: 3}}
	require.NoError(t, s.count(lines), "later ones do not matter")
	require.Equal(t, card.Builder{Backend: "go, avx2"}, s.costs[3].Trained)
	require.Equal(t, 2, s.costs[3].Unmeasured, "CPU time is unknown of one, and games were played before of another")
	require.ErrorContains(t, s.count(lines[1:]), "metrics.jsonl has no generation 1")
	require.ErrorContains(t, s.count(lines[:2]), "no generation 3,")
}
