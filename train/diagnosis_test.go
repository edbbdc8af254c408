package train_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
	"tiro/train"
)

// sound returns metrics of a generation at which nothing is wrong.
func sound() rundir.Metrics {
	return rundir.Metrics{
		Generation: 20, Games: 100, Wins: []int{50, 40}, Draws: 10, Duplicates: 2, Samples: 3000, Steps: 40,
		SearchKL: 0.3, TargetEntropy: 0.8, ValueError: [3]float64{0.7, 0.4, 0.1},
		SampleReuse: 4, TrainingLoss: rundir.Losses{Outcome: 0.65}, ValidationLoss: rundir.Losses{Outcome: 0.7}, BaselineLoss: 0.94,
	}
}

func TestDiagnose(t *testing.T) {
	tests := []struct {
		name  string
		wrong func(m *rundir.Metrics)
		want  string
	}{
		{"alike", func(m *rundir.Metrics) { m.Duplicates = 30 }, "30% of the games repeat another one"},
		{"drawn", func(m *rundir.Metrics) {
			m.Wins, m.Draws, m.ValidationLoss.Outcome, m.TrainingLoss.Outcome = []int{1, 1}, 98, 0.1, 0.1
		}, "98% of the games are drawn or have several winners"},
		{"capped", func(m *rundir.Metrics) { m.LengthLimited = 30 }, "30% of the games are ended for their length"},
		{"no news", func(m *rundir.Metrics) { m.SearchKL = 0.01 }, "change the policy by 0.010 nats only"},
		{"no choice", func(m *rundir.Metrics) { m.TargetEntropy = 0.01 }, "which is a single move"},
		{"by heart", func(m *rundir.Metrics) { m.TrainingLoss.Outcome = 0.4 }, "loss is 0.70 on new samples, 0.40 on those learned from, and 0.94 for a constant prediction"},
		{"reuse", func(m *rundir.Metrics) { m.SampleReuse = 20 }, "is drawn 20.0 times"},
		{"wrong seat", func(m *rundir.Metrics) { m.ValueError = [3]float64{0.5, 0.7, 0.9} }, "check that the game pays the right seat"},
		{
			"nothing learned",
			func(m *rundir.Metrics) { m.TrainingLoss.Outcome, m.ValidationLoss.Outcome = 1, 1 }, "is 1.00, and 0.94 for a constant prediction",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := sound()
			test.wrong(&m)
			faults := train.Diagnose([]rundir.Metrics{m, m, m})
			require.Len(t, faults, 1)
			require.Contains(t, faults[0].Text, test.want)
			require.Empty(t, train.Diagnose([]rundir.Metrics{m, m}), "too few")
			require.Empty(t, train.Diagnose([]rundir.Metrics{m, m, m, sound(), sound(), sound()}), "over now")
		})
	}
	young := sound()
	young.Generation, young.ValidationLoss.Outcome, young.TrainingLoss.Outcome = 5, 1.1, 0.9
	require.Empty(t, train.Diagnose([]rundir.Metrics{young, young, young}), "too early to say")
	odd := sound()
	odd.Generation, odd.ValueError = 5, [3]float64{0.5, 0.7, 0.9}
	require.Empty(t, train.Diagnose([]rundir.Metrics{odd, odd, odd}), "too early to say")
	odd.Generation, odd.ValueError = 20, [3]float64{0.48, 0.49, 0.5}
	require.Empty(t, train.Diagnose([]rundir.Metrics{odd, odd, odd}), "as well known at the end")
	rest := sound() // too few samples for a step
	rest.Steps, rest.TrainingLoss, rest.ValidationLoss, rest.BaselineLoss = 0, rundir.Losses{}, rundir.Losses{}, 0
	require.Empty(t, train.Diagnose([]rundir.Metrics{rest, sound(), rest}), "nothing learned, nothing wrong")
	require.Empty(t, train.Diagnose([]rundir.Metrics{rest, rest, rest}), "nothing learned, nothing wrong")
	rest.Samples, rest.SearchKL, rest.TargetEntropy, rest.ValueError = 0, 0, 0, [3]float64{}
	require.Empty(t, train.Diagnose([]rundir.Metrics{rest, rest, rest}), "nothing searched, nothing wrong")
	rest.Samples, rest.SearchKL = 10, 0.01
	require.Len(t, train.Diagnose([]rundir.Metrics{rest, rest, rest}), 2, "searched, and idle and narrow")
	learned := sound()
	learned.TrainingLoss.Outcome = 0.5
	require.Empty(t, train.Diagnose([]rundir.Metrics{learned, learned, learned}), "more than half holds on new positions")
}
