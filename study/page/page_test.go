package page

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/disk"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
	"tiro/train"
)

// trained returns a run folder of a few small generations of a game.
func trained(t testing.TB, name string) string {
	game, err := games.New(name)
	require.NoError(t, err)
	c := recipe.Default(game.Spec().Name)
	c.GamesPerGeneration = 6
	c.Net.Channels, c.Net.Blocks = 8, 1
	c.Selfplay.Search.Simulations, c.Selfplay.SimulationSchedule = 4, nil
	c.Selfplay.ConcurrentGames = 4
	c.Learner.BatchSize = 32
	c.Duels.Every = 1
	c.Checkpoints.Last = 4
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, train.Run(t.Context(), train.Options{
		Dir: dir, Game: game, Config: c, Workers: 2, Backend: kernel.Best(), Generations: 3,
		Clock: time.Now, CPU: func() time.Duration { return time.Since(time.Time{}) }, Version: "test",
	}))
	return dir
}

// written returns the page of a run.
func written(t testing.TB, dir string, ratings *ladder.Report) string {
	run, err := Open(dir, games.New)
	require.NoError(t, err)
	var b bytes.Buffer
	facts := Facts{Ratings: ratings, Commands: []string{"tiro train x"}, Rate: "tiro rate run", Machine: "a <machine>", Tiro: "test"}
	require.NoError(t, run.Write(&b, facts))
	var again bytes.Buffer
	require.NoError(t, run.Write(&again, facts))
	require.Equal(t, b.String(), again.String())
	return b.String()
}

// rated returns a report of ratings of two checkpoints.
func rated() *ladder.Report {
	half := 40.0
	r := &ladder.Report{Game: "mnk", Anchor: "mcts:5"}
	for g := range 3 {
		elo := 100 * float64(g)
		r.Players = append(r.Players, ladder.Standing{
			Candidate: true, Error: &half, Elo: arena.Interval{Value: elo, Low: elo - 60, High: elo + 60},
			Checkpoint: &ladder.Checkpoint{Run: "run", Generation: g, Games: 6 * g, CPUHours: float64(g) / 100},
		})
	}
	return r
}

// TestWrite: a page has all parts, and names nothing outside of it.
func TestWrite(t *testing.T) {
	dir := trained(t, "mnk")
	text := written(t, dir, rated())
	for _, want := range []string{
		"<h1>mnk</h1>", "3</b><span>generations", "has completed 3 generations: 18 games",
		"Generation 2 is rated &#43;200 ± 40 Elo relative to mcts:5, generation 0 &#43;0 ± 40.", "rating by CPU time", "rating by games",
		"outcome loss on new games", "baseline: always", "Game lengths", "won by player 1", "Endings, generation 3",
		"Time spent", "self-play", "games per second by generation", "tiro test, ", "a &lt;machine&gt;", "tiro train x", "games_per_generation: 6",
		"from -1 (loss) to", `"title":"Generation 3, `, `"network":[`, `"search":[`, `"priors":[`,
	} {
		require.True(t, strings.Contains(text, want), want)
	}
	require.Empty(t, regexp.MustCompile(`(?i)(src|href)="[^d]`).FindString(text))
	rest := strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
	require.False(t, strings.Contains(rest, "http:") || strings.Contains(rest, "https:"), "an address")
	require.True(t, strings.Contains(text, "default-src 'none'"))

	require.True(t, strings.Contains(written(t, trained(t, "shacru:players=3,maxturns=8"), nil), "from -0.5 (loss) to"))

	unrated := written(t, dir, nil)
	require.True(t, strings.Contains(unrated, "<code>tiro rate run</code>"))
}

// TestChanged: a page names the generations that its commands do not repeat.
func TestChanged(t *testing.T) {
	dir := trained(t, "mnk")
	require.NotContains(t, written(t, dir, nil), "settings were different")
	c, err := recipe.Read(rundir.At(disk.OS{}, dir))
	require.NoError(t, err)
	game, err := games.New("mnk")
	require.NoError(t, err)
	c.Learner.LearningRate /= 2
	require.NoError(t, train.Run(t.Context(), train.Options{Dir: dir, Game: game, Config: c, Workers: 1, Backend: kernel.Best(), Generations: 4}))
	text := written(t, dir, nil)
	require.Contains(t, text, "settings were different in these generations: 1-3.")
	require.Contains(t, text, ", 1 worker<")
}

// TestOpenRefuses checks the errors for other folders and for runs without a generation.
func TestOpenRefuses(t *testing.T) {
	dir := trained(t, "mnk")
	_, err := Open(filepath.Join(dir, "checkpoints", "000001"), games.New)
	require.ErrorContains(t, err, "is a checkpoint")
	_, err = Open(filepath.Join(dir, "none"), games.New)
	require.ErrorIs(t, err, os.ErrNotExist)
	weights := filepath.Join(dir, "checkpoints", "000003", "weights.safetensors")
	require.NoError(t, os.Rename(weights, weights+".old"))
	_, err = Open(dir, games.New)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.MetricsFile), nil, 0o666))
	_, err = Open(dir, games.New)
	require.ErrorContains(t, err, "has not completed a generation")
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.MetricsFile), []byte("{}\n"), 0o666))
	_, err = Open(dir, games.New)
	require.ErrorContains(t, err, "metrics.jsonl:1: ")
}
