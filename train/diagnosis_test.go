package train_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/mcts"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// sound returns metrics of a generation without faults.
func sound() rundir.Metrics {
	return rundir.Metrics{
		Generation: 20, TotalSteps: 800, Games: 100, Wins: []int{50, 40}, Draws: 10, Duplicates: 2, Samples: 3000, Steps: 40,
		SearchKL: 0.3, TargetEntropy: 0.8, ValueError: [3]float64{0.7, 0.4, 0.1},
		SampleReuse: 4, TrainingLoss: rundir.Losses{Outcome: 0.65}, ValidationLoss: rundir.Losses{Outcome: 0.7}, BaselineLoss: 0.94,
	}
}

func TestDiagnose(t *testing.T) {
	config := recipe.Default("mnk")
	tests := []struct {
		name  string
		wrong func(m *rundir.Metrics)
		want  string
	}{
		{"alike", func(m *rundir.Metrics) { m.Duplicates = 30 }, "30% of the games repeat another one"},
		{"drawn", func(m *rundir.Metrics) {
			m.Wins, m.Draws, m.ValidationLoss.Outcome, m.TrainingLoss.Outcome = []int{1, 1}, 98, 0.1, 0.1
		}, "98% of the games are drawn or have several winners"},
		{"capped", func(m *rundir.Metrics) { m.LengthLimited = 30 }, "30% of the games end by the limit on their length"},
		{"no news", func(m *rundir.Metrics) { m.SearchKL = 0.01 }, "by only 0.010 nats"},
		{"no choice", func(m *rundir.Metrics) { m.TargetEntropy = 0.01 }, "only 0.010 nats"},
		{"by heart", func(m *rundir.Metrics) { m.TrainingLoss.Outcome = 0.4 }, "0.70 on new samples, 0.40 on training samples and 0.94 for a constant prediction"},
		{"reuse", func(m *rundir.Metrics) { m.SampleReuse = 20 }, "is drawn 20.0 times"},
		{"wrong seat", func(m *rundir.Metrics) { m.ValueError = [3]float64{0.5, 0.7, 0.9} }, "check that the game pays the right seat"},
		{
			"nothing learned",
			func(m *rundir.Metrics) { m.TrainingLoss.Outcome, m.ValidationLoss.Outcome = 1, 1 }, "is 1.00 on new samples and 0.94 for a constant prediction",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := sound()
			test.wrong(&m)
			faults := train.Diagnose(&config, []rundir.Metrics{m, m, m})
			require.Len(t, faults, 1)
			require.Contains(t, faults[0].Text, test.want)
			require.Empty(t, train.Diagnose(&config, []rundir.Metrics{m, m}), "too few")
			require.Empty(t, train.Diagnose(&config, []rundir.Metrics{m, m, m, sound(), sound(), sound()}), "over now")
		})
	}
	young := sound()
	young.TotalSteps, young.ValidationLoss.Outcome, young.TrainingLoss.Outcome = 639, 1.1, 0.9
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{young, young, young}), "too early")
	alike := sound()
	alike.BaselineLoss, alike.ValidationLoss.Outcome, alike.TrainingLoss.Outcome = 0.001, 0.004, 0.003
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{alike, alike, alike}), "all games end alike")
	odd := sound()
	odd.TotalSteps, odd.ValueError = 639, [3]float64{0.5, 0.7, 0.9}
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{odd, odd, odd}), "too early")
	odd.TotalSteps, odd.ValueError = 800, [3]float64{0.48, 0.49, 0.5}
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{odd, odd, odd}), "predicted as well at the end")
	short := sound()
	short.LengthLimited = 90
	scheduled := recipe.Default("mnk")
	scheduled.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "k=2"}, {Generation: 20}}
	require.Len(t, train.Diagnose(&scheduled, []rundir.Metrics{short, short, short}), 1)
	short.Generation = 19
	require.Empty(t, train.Diagnose(&scheduled, []rundir.Metrics{short, short, short}), "ended by the schedule's limit")
	rest := sound() // too few samples for a step
	rest.Steps, rest.TrainingLoss, rest.ValidationLoss, rest.BaselineLoss = 0, rundir.Losses{}, rundir.Losses{}, 0
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{rest, sound(), rest}), "nothing learned, nothing wrong")
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{rest, rest, rest}), "nothing learned, nothing wrong")
	rest.SearchKL, rest.TargetEntropy = 0.01, 0
	require.Len(t, train.Diagnose(&config, []rundir.Metrics{rest, rest, rest}), 2, "the search is idle and narrow")
	puct := recipe.Default("mnk")
	puct.Selfplay.Search.Root = mcts.RootPUCT
	for _, f := range train.Diagnose(&puct, []rundir.Metrics{rest, rest, rest}) {
		require.NotContains(t, f.Text, "gumbel")
	}
	learned := sound()
	learned.TrainingLoss.Outcome = 0.5
	require.Empty(t, train.Diagnose(&config, []rundir.Metrics{learned, learned, learned}), "more than half of the improvement holds for new positions")
}

// TestSlowLearners: generations without a step are no fault if the samples of several generations
// make up a step, but a run without any steps is.
func TestSlowLearners(t *testing.T) {
	config := recipe.Default("mnk") // 256 samples per step, each drawn four times
	m := sound()
	m.Steps, m.TrainingLoss, m.ValidationLoss, m.BaselineLoss = 0, rundir.Losses{}, rundir.Losses{}, 0
	names := func(c *recipe.Config, samples int) (names []string) {
		m.Samples = samples
		for _, f := range train.Diagnose(c, []rundir.Metrics{m, m, m}) {
			names = append(names, f.Name)
		}
		return names
	}
	require.Empty(t, names(&config, 10))
	require.Equal(t, []string{"no steps"}, names(&config, 6))
	config.Replay.SampleReuse = 1e-300
	require.Equal(t, []string{"no steps"}, names(&config, 3000))
}

func TestDiagnoseConfig(t *testing.T) {
	tests := []struct {
		rate float64
		want int
	}{{0.003, 0}, {1, 1}}
	for _, test := range tests {
		c := recipe.Default("mnk")
		c.Learner.LearningRate = test.rate
		require.Len(t, train.DiagnoseConfig(&c), test.want, "%+v", test)
	}
}

// TestWarnsOfRunsThatCannotLearn: a run warns within a few generations if its settings make
// learning impossible.
func TestWarnsOfRunsThatCannotLearn(t *testing.T) {
	tests := []struct {
		name, want string
		set        func(c *recipe.Config)
	}{
		{"no reuse", "no steps: ", func(c *recipe.Config) { c.Replay.SampleReuse = 1e-300 }},
		{"learning rate", "learning rate: ", func(c *recipe.Config) { c.Learner.LearningRate = 1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t.TempDir(), 3)
			test.set(&o.Config)
			var warned []string
			o.Events = onWarning(func(text string, _ ...any) { warned = append(warned, text) })
			run(t, o)
			require.NotEmpty(t, warned)
			require.Regexp(t, "^"+test.want, warned[0])
		})
	}
}

// TestNoFalseAlarms: the recorded first generations of the quick configurations, and of the
// example in docs/ADDING_A_GAME.md, give no warning.
func TestNoFalseAlarms(t *testing.T) {
	files, err := filepath.Glob("testdata/metrics/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			config := recipe.Default("")
			if err := config.Load(strings.TrimSuffix(file, ".jsonl") + ".yaml"); !errors.Is(err, fs.ErrNotExist) {
				require.NoError(t, err)
			} else {
				require.NoError(t, config.Load("../configs/"+strings.TrimSuffix(filepath.Base(file), ".jsonl")+".yaml"))
			}
			require.Empty(t, train.DiagnoseConfig(&config))
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var recent []rundir.Metrics
			for line := range bytes.Lines(data) {
				var m rundir.Metrics
				require.NoError(t, json.Unmarshal(line, &m))
				recent = append(recent, m)
				require.Empty(t, train.Diagnose(&config, recent), "generation %d", m.Generation)
			}
		})
	}
}
