//go:build linux || darwin

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// killable is a command that is killed at random instants and repeated until it is done.
type killable struct {
	name string
	args string // OUT is the output folder, BEGUN a run of two generations
	once string // a file that exists once the command is done, if it cannot be repeated afterwards
	then string // a command that continues from the result and is killed, too
}

// tinyRuns are settings of tic-tac-toe runs, one run a line.
var tinyRuns = strings.Split(`seed=1
selfplay.asynchronous=true
learner.ema_decay=0.9
selfplay.asynchronous=true learner.ema_decay=0.9 replay.window=60
selfplay.cache_positions=0 selfplay.concurrent_games=1
selfplay.search.parallel_leaves=2
selfplay.search.root=gumbel
net.pool=true net.blocks=1
learner.policy_surprise_weight=0.5 learner.discount=0.9
checkpoints.last=1 checkpoints.every=0
duels.share=0.5 duels.every=1
learner.cooldown.after=1 learner.cooldown.generations=2
games_per_generation=3 replay.sample_reuse=12`, "\n")

// killables returns the tiny runs, and the other commands whose results must not depend on
// kills.
func killables() []killable {
	const base = "--plain --workers 2 --set net.channels=8 --set net.blocks=0 --set selfplay.search.simulations=16 --set games_per_generation=24 --set learner.batch_size=32"
	all := []killable{
		{name: "fork", args: "fork BEGUN --run OUT --set seed=9", once: "config.yaml", then: "train --run OUT --generations 4 --plain"},
		{name: "warm start", args: "fork BEGUN --network-only --run OUT", once: "config.yaml", then: "train --run OUT --generations 2 --plain"},
		{name: "finish", args: "train mnk --run OUT --generations 3 " + base, then: "train --run OUT --finish --plain"},
		{name: "match", args: "match mnk --a mcts:200 --b mcts:50 --games 60 --opening 2 --workers 1 --records OUT/games.jsonl --json OUT/report.json"},
		{name: "tournament", args: "match mnk mcts:100 mcts:50 alphabeta:2 greedy random --games 12 --opening 2 --workers 1 --records OUT/games.jsonl --json OUT/report.json --pgn OUT/games.pgn"},
		{name: "test", args: "match connect4 --a mcts:300 --b mcts:100 --sprt 0,150 --opening 6 --seed 3 --workers 1 --records OUT/games.jsonl --json OUT/report.json"},
		{name: "rate", args: "rate mnk mcts:100 --games 40 --workers 1 --dir OUT --json OUT/report.json"},
	}
	for _, settings := range tinyRuns {
		args := "train mnk --run OUT --generations 4 " + base
		for setting := range strings.FieldsSeq(settings) {
			args += " --set " + setting
		}
		all = append(all, killable{name: settings, args: args})
	}
	return all
}

// TestAttackKills: trainings, forks, finishes, matches and ratings that are repeatedly killed
// at random instants and resumed by the same command give the same bytes as undisturbed ones.
func TestAttackKills(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes several seconds")
	}
	kills, few := effort.Of(0, 2, 25), effort.Of(0, 3, 0)
	begun := filepath.Join(t.TempDir(), "begun")
	rng := env.NewRand(41)
	line := func(text, out string) []string {
		return strings.Fields(strings.NewReplacer("OUT", out, "BEGUN", begun).Replace(text))
	}
	require.False(t, killed(t, line("train mnk --run BEGUN --generations 2 --plain --workers 2 --set net.channels=8 --set net.blocks=0 --set games_per_generation=24", ""), time.Hour))
	all := killables()
	if few > 0 { // the number of tiny runs to test
		all = append(all[:len(all)-len(tinyRuns)], all[len(all)-few:]...)
	}
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			// complete repeats the commands until they are done, and kills each of them several
			// times.
			complete := func(out string, kills int, took []time.Duration) (times []time.Duration) {
				if !strings.Contains(k.args, "--run OUT") {
					require.NoError(t, os.MkdirAll(out, 0o777))
				}
				for i, text := range []string{k.args, k.then} {
					if text == "" {
						continue
					}
					for n := 0; ; n++ {
						after := time.Hour
						if n < kills {
							after = time.Duration(rng.Int64N(int64(took[i])))
						}
						began := time.Now()
						if !killed(t, line(text, out), after) {
							times = append(times, time.Since(began))
							break
						}
						if _, err := os.Stat(filepath.Join(out, k.once)); i == 0 && k.once != "" && err == nil {
							times = append(times, 0)
							break
						}
						if n >= kills {
							said, err := exec.Command("tiro", line(text, out)...).CombinedOutput()
							require.NoError(t, err, "%s", said)
							break
						}
					}
				}
				return times
			}
			dir := t.TempDir()
			took := complete(filepath.Join(dir, "undisturbed"), 0, nil)
			for round := range max(1, kills/5) {
				out := filepath.Join(dir, fmt.Sprint("killed", round))
				complete(out, min(kills, 5), took)
				requireSameRun(t, runContents(t, filepath.Join(dir, "undisturbed")), out)
			}
		})
	}
}

// killed runs tiro, kills it after a delay, and reports whether it was still running.
func killed(t *testing.T, args []string, after time.Duration) bool {
	cmd := exec.Command("tiro", args...)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	return err != nil
}
