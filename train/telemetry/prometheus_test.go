package telemetry

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

// TestPrometheus: the values of all runs are served as gauges, whatever the runs' names are.
func TestPrometheus(t *testing.T) {
	runs := map[string]*rundir.Metrics{
		"runs/a":    {Generation: 7, Wins: []int{3, 4}, ValidationLoss: rundir.Losses{PolicyKL: 0.5}, Duels: []rundir.Duel{{Opponent: "random", Games: 2, Points: 1}}},
		"b\"\xff\n": {Generation: 1, Endings: map[string]int{"four-in-a-row": 2}},
	}
	out := httptest.NewRecorder()
	Prometheus(func() map[string]*rundir.Metrics { return runs }).ServeHTTP(out, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, out.Code, out.Body)
	for _, line := range []string{
		"# TYPE tiro_run_generation gauge\n",
		`tiro_run_generation{run="runs/a"} 7` + "\n",
		`tiro_run_generation{run="b\"` + "\uFFFD" + `\n"} 1` + "\n",
		`tiro_validation_loss_policy{run="runs/a"} 0.5` + "\n",
		`tiro_self_play_won_by_seat{of="1",run="runs/a"} 4` + "\n",
		`tiro_duel_score{of="random",run="runs/a"} 0.5` + "\n",
		`tiro_self_play_ended_by{of="four-in-a-row",run="b\"` + "\uFFFD" + `\n"} 2` + "\n",
	} {
		require.Contains(t, out.Body.String(), line)
	}
}
