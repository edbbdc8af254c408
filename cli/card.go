package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/configs"
	"tiro/disk"
	"tiro/models/card"
	"tiro/recipe"
	"tiro/study"
)

// cardOptions are the flags of tiro card.
type cardOptions struct {
	catalog
	study.Rating
	anchors   string
	reference string
}

// Bounds on flags.
const (
	maxPoints    = 100       // of the learning curve
	maxCardGames = 1_000_000 // of a match
)

func cardCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := cardOptions{catalog: games, Rating: study.DefaultRating()}
	o.Disk = fsys
	cmd := &cobra.Command{
		Use:   "card RUN_OR_CHECKPOINT --out FOLDER",
		Short: "Rate a trained network, and write its model card",
		Long: `Card rates the network of a run (its newest checkpoint) or of a checkpoint: it
plays matches against fixed opponents. For the learning curve, earlier checkpoints
play a reference opponent and each other. Card writes a folder with
weights.safetensors, the network; card.json, the model card; and card.md, the same
for people, with the commands that reproduce it.

Each finished match is kept in matches.json until the card is complete: Ctrl-C
loses only the match in progress, and the same command resumes. A match that is
already on the folder's card is not played again, unless another version of the
program played it. All networks are read before the first match, so the run may
be trained further in the meantime.

With more than two seats the network plays one seat and its opponent the others.
Unless --anchors names them, the opponents are random, greedy, alphabeta:2,
alphabeta:4, mcts:200 and mcts:2000. In games with turns of several actions or more
than two seats they are random, greedy, mcts:200 and mcts:1000. Opponents that need
a heuristic score are left out in games without one.`,
		Example: `  tiro card runs/coerceo --out coerceo
  tiro card runs/pacru/checkpoints/000100 --out pacru-100 --games 100 --anchors random,mcts:1000`,
		Args: args("RUN_OR_CHECKPOINT"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCard(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "`FOLDER` to write")
	f.StringVar(&o.anchors, "anchors", "", "fixed opponents, `PLAYER,PLAYER` (default by game)")
	f.StringVar(&o.reference, "reference", "mcts:200", "the `PLAYER` that all points of the learning curve meet")
	f.IntVar(&o.Games, "games", o.Games, "games per match, half as many for the learning curve; rounded up to whole openings")
	f.IntVar(&o.Simulations, "sims", arena.PlaySimulations, "simulations per move of the networks")
	f.IntVar(&o.Points, "curve", o.Points, "points of the learning curve, from the checkpoints that the run keeps for good; 0 for none")
	f.IntVar(&o.Opening, "opening", o.Opening, "random actions at the start of each game")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all randomness in the matches")
	workersVar(cmd, &o.Workers)
	backendVar(cmd, &o.Backend)
	return cmd
}

// check reports flags that make no sense.
func (o *cardOptions) check() error {
	return cmp.Or(
		unless(o.Out != "", "--out is missing; want the folder to write"),
		unless(o.Opening >= 0, "--opening %d; want 0 or more", o.Opening),
		inRange("--games", o.Games, 1, maxCardGames),
		inRange("--sims", o.Simulations, 1, arena.MaxSimulations),
		inRange("--curve", o.Points, 0, maxPoints),
		inRange("--workers", o.Workers, 1, maxThreads),
	)
}

func runCard(cmd *cobra.Command, path string, o cardOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if isBundled(path) {
		return usage(fmt.Errorf("%s is on its card already; tiro models GAME prints that, and with --save FOLDER writes it", path))
	}
	path, err := systemPath(path)
	if err != nil {
		return err
	}
	run, err := study.Open(path, o.Table.New)
	if err != nil {
		return err
	}
	if o.anchors == "" {
		o.anchors = strings.Join(study.DefaultAnchors(run.Game), ",")
	}
	if o.Anchors, err = study.ParsePlayers(run.Game, strings.Split(o.anchors, ",")); err != nil {
		return usage(fmt.Errorf("--anchors: %w", err))
	}
	reference, err := study.ParsePlayers(run.Game, []string{o.reference})
	if err != nil {
		return usage(fmt.Errorf("--reference: %w", err))
	}
	commands, folder, err := o.lineage(run.Origins, run.Config, run.Generation)
	if err != nil {
		return err
	}
	o.Reference, o.Commands = reference[0], append(commands, o.commandLine(folder))
	o.Tiro, o.Machine = build(), processor()
	meter := newMeter(cmd.ErrOrStderr())
	o.Progress = matches(meter)
	finished := 0
	o.Result = func(a, b string, r card.Rating) {
		finished++
		fmt.Fprintf(cmd.OutOrStdout(), "%s against %s: %d games, +%d =%d -%d, %.1f%%, 95%% interval %.1f to %.1f%%\n", a, b,
			r.Games, r.Wins, r.Draws, r.Losses, 100*r.Score.Value, 100*r.Score.Low, 100*r.Score.High)
	}
	c, err := study.Rate(cmd.Context(), run, o.Rating)
	if errors.Is(err, context.Canceled) {
		meter.log.Info(keptMatches, "matches", finished)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, generation %d\n", filepath.Join(o.Out, card.MarkdownFile), c.Game, c.Generation)
	return nil
}

// commandLine returns the command that makes a card of the same run with the
// same flags, where the run is in a folder.
func (o *cardOptions) commandLine(folder string) string {
	return shellLine("tiro", "card", folder, "--out", "card", "--anchors", o.anchors, "--reference", o.reference,
		"--games", strconv.Itoa(o.Games), "--sims", strconv.Itoa(o.Simulations), "--curve", strconv.Itoa(o.Points),
		"--opening", strconv.Itoa(o.Opening), "--seed", strconv.FormatUint(o.Seed, 10))
}

// trainLine returns the command that trains a network with a configuration.
func trainLine(config recipe.Config, generation int) (string, error) {
	shipped, err := shippedConfig(config.Game)
	if err != nil {
		return "", err
	}
	assignments, err := configs.Assignments(&shipped, &config)
	if err != nil {
		return "", err
	}
	words := []string{"tiro", "train", config.Game}
	for _, a := range assignments {
		words = append(words, "--set", a)
	}
	return shellLine(append(words, "--generations", strconv.Itoa(generation))...), nil
}

// plainWord matches the words that mean themselves to a shell.
var plainWord = regexp.MustCompile(`^[\w+=:,./@%-]+$`)

// shellLine returns words as a shell reads them.
func shellLine(words ...string) string {
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// keptMatches is logged when a study is interrupted.
const keptMatches = "stopped; finished matches are kept; run the same command to resume"
