package progress

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
)

// viewed returns a view that shows every element, and its run.
func viewed(t *testing.T, name string, colour bool) (*View, Run) {
	game, err := games.New(name)
	require.NoError(t, err)
	run := Run{Game: game, Config: recipe.Default(name), State: State{Generations: 100}}
	run.Config.Learner.LearningRate = 1 // causes a finding
	for g := 1; g <= 80; g++ {
		m := rundir.Metrics{
			Generation: g, Games: 10, Wins: make([]int, game.Spec().Players), Draws: 5, MeanPlies: 88, BaselineLoss: 1.05, Samples: 9, SearchKL: 1, TargetEntropy: 1, Steps: 1,
			ValidationLoss: rundir.Losses{PolicyKL: 2 / float64(g), Outcome: 0.9}, Machine: &rundir.Machine{Seconds: 270},
		}
		if g%10 == 0 {
			m.Rating = &rundir.Rating{Elo: float64(10 * g), Error: 45}
		}
		run.Metrics = append(run.Metrics, m)
	}
	v := NewView(run, colour)
	v.Show(run)
	v.Played(playedOut(game))
	return v, run
}

// playedOut returns a game in which every action is the first legal one.
func playedOut(game env.Game) (e selfplay.Episode) {
	e.Rules = game
	s := game.New()
	for {
		result, over := s.Result()
		if over {
			e.Result = result
			return e
		}
		a := s.Legal(nil)[0]
		e.Actions = append(e.Actions, a)
		s.Play(a)
	}
}

// TestViewFits: on a screen of any size and for every game, the view fits its columns and rows
// or is empty.
func TestViewFits(t *testing.T) {
	for _, name := range []string{"coerceo", "pacru", "connect4", "mnk:m=19,n=19,k=5", "tictactoe"} {
		for _, colour := range []bool{false, true} {
			v, _ := viewed(t, name, colour)
			for columns := 0; columns < 140; columns += 3 {
				for rows := -2; rows < 45; rows += 2 {
					lines := v.Lines(columns, rows)
					require.LessOrEqual(t, len(lines), max(0, rows))
					require.Equal(t, columns < leastColumns || rows < leastRows, len(lines) == 0)
					for _, line := range lines {
						bare := escape.ReplaceAllString(line, "")
						require.LessOrEqual(t, utf8.RuneCountInString(bare), columns, line)
						require.Equal(t, colour || bare == line, true, line)
					}
				}
			}
		}
	}
}

func TestViewShows(t *testing.T) {
	v, run := viewed(t, "connect4", false)
	rows := v.Lines(79, 22)
	require.Equal(t, []string{
		"connect4, generation 81 of 100, 90 min left",
		"rating     +800 ±45 Elo above generation 0  ▁▂▃▄▅▆▇█",
		"policy     loss 0.03  " + sparkline(curveOf(32)),
	}, rows[1:4])
	require.Equal(t, "outcome    loss 0.90, baseline 1.05  "+strings.Repeat("▁", 32), rows[4])
	require.Equal(t, "games      player 1 won 0, player 2 0, 5 drawn; mean length 88 plies", rows[5])
	require.Regexp(t, `^warning    learning rate: .*…$`, rows[6])
	require.Regexp(t, `^last game  \d+ plies, player 2 won`, rows[7])
	require.Greater(t, len(rows), 12)

	run.Config.Learner.LearningRate, run.State.Generations = 0.001, 80
	v.Show(run)
	require.Contains(t, v.Lines(79, 22)[1], "generation 80 of 80", "the last generation has no next one")
	run.State.Generations = 100
	v.Show(run)
	v.Finish()
	after := strings.Join(v.Lines(79, 22), "\n")
	require.NotContains(t, after, "warning")
	require.NotContains(t, after, "last game")
	require.Contains(t, after, "generation 80 of 100\n")
}

// TestSharedWins: with three seats or more, games without a single winner need not be draws.
func TestSharedWins(t *testing.T) {
	four, err := games.New("shacru:players=4")
	require.NoError(t, err)
	require.Equal(t, "Yellow, Green and Black won", outcome(four, env.Value{1. / 9, -1. / 3, 1. / 9, 1. / 9}))

	v, run := viewed(t, "azacru:players=3", false)
	run.Metrics[len(run.Metrics)-1].Wins = []int{2, 0, 1}
	v.Show(run)
	require.Equal(t, "games      Yellow won 2, Red 0, Black 1, 5 drawn or shared", v.Lines(79, 22)[5])
	require.Contains(t, run.Line(time.Time{}), "Black 1, 5 drawn or shared; policy loss")
}

// curveOf returns the last n policy losses of viewed.
func curveOf(n int) (all []float64) {
	for g := 81 - n; g <= 80; g++ {
		all = append(all, 2/float64(g))
	}
	return all
}

func TestSparkline(t *testing.T) {
	require.Equal(t, "▁▂▃▄▅▆▇█", sparkline([]float64{0, 1, 2, 3, 4, 5, 6, 7}))
	require.Equal(t, "█▁", sparkline([]float64{-3, -4}))
	require.Equal(t, "▁▁▁", sparkline([]float64{2, 2, 2}))
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		require.Equal(t, 3, utf8.RuneCountInString(sparkline(slices.Concat([]float64{1}, []float64{odd, -math.MaxFloat64}))))
	}
}

// TestEmptyView: before the first generation there is only the heading, and a board where the
// introduction stays visible.
func TestEmptyView(t *testing.T) {
	game, err := games.New("pacru:players=3")
	require.NoError(t, err)
	v := NewView(Run{Game: game}, false)
	require.Equal(t, []string{strings.Repeat("─", 50), "pacru:players=3, generation 1"}, v.Lines(50, 20))
	v.Played(playedOut(game))
	require.Len(t, v.Lines(79, 22), 2)
	require.Greater(t, len(v.Lines(79, 42)), 10)
}
