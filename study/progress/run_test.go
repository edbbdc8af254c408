package progress

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// words returns the sentences of a run.
func words(metrics ...rundir.Metrics) []string { return (&Run{Metrics: metrics}).Words() }

// TestWords: the words describe the parts that a run has, and omit the others.
func TestWords(t *testing.T) {
	require.Empty(t, words())
	first := rundir.Metrics{Generation: 1, Games: 4, Plies: 40, TotalSteps: 2}
	require.Len(t, words(first), 1)
	require.Contains(t, words(first)[0], "1 generation: 4 games with 40 positions")

	second := rundir.Metrics{
		Generation: 2, Games: 4, Plies: 60, TotalSteps: 5, SearchKL: 0.25, BaselineLoss: 1, ValidationLoss: rundir.Losses{Outcome: 0.75},
		Rating: &rundir.Rating{Elo: 80, Error: 30},
		Machine: &rundir.Machine{Players: []rundir.Contribution{
			{Name: "attic", Games: 3, Evaluations: 700, CPUSeconds: 12.4, Silent: 40},
			{Name: "laptop", Games: 1, Evaluations: 200, CPUSeconds: 3},
		}},
	}
	all := words(first, second)
	require.Len(t, all, 5)
	for i, want := range []string{"8 games with 100 positions", "0.750, which is 25%", "0.25 nats", "+80 ± 30 Elo", "attic 3 (700 evaluations"} {
		require.Contains(t, all[i], want)
	}
	second.ValidationLoss.Outcome = 1.01
	require.Contains(t, words(first, second)[1], "1.010, not yet")
	require.Contains(t, words(second)[1], "of 1 generation are not counted", "the first line is lost")
}

// TestLeft checks the estimate of the time left against each kind of limit. The estimate uses
// the durations of the newest generations.
func TestLeft(t *testing.T) {
	now := time.Now()
	r := Run{}
	for g := 1; g <= 10; g++ {
		r.Metrics = append(r.Metrics, rundir.Metrics{Generation: g, Machine: &rundir.Machine{Seconds: float64(10 * g), CPUSeconds: 20}})
	}
	require.Equal(t, 80*time.Second, r.Each())
	for _, test := range []struct {
		name  string
		state State
		want  time.Duration
	}{
		{"no limit", State{}, 0},
		{"generations", State{Generations: 12}, 160 * time.Second},
		{"too few generations", State{Generations: 3}, 0},
		{"time", State{Until: now.Add(time.Hour)}, time.Hour},
	} {
		r.State = test.state
		require.Equal(t, test.want, r.Left(now), test.name)
	}
	r.State, r.Config.CPUHours = State{}, 260.0/3600
	require.Equal(t, 240*time.Second, r.Left(now), "CPU time")
	r.State.Generations = 12
	require.Equal(t, 160*time.Second, r.Left(now), "the first of two limits")
	require.Zero(t, (&Run{Config: r.Config}).Left(now))
}

func TestStateIsData(t *testing.T) {
	for _, s := range []State{{Phase: Training, Generations: 7}, {Phase: Stopped, Reason: "Ctrl-C", Until: time.Unix(1, 0).UTC()}} {
		text, err := json.Marshal(s)
		require.NoError(t, err)
		var back State
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, s, back)
	}
}
