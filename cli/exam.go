package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
	"tiro/study/exam"
)

// examOptions are the flags of tiro exam.
type examOptions struct {
	catalog
	models    []string
	positions []string
	sims      []int
	workers   int
	json      string
	backend   kernel.Backend
}

func examCommand(games catalog) *cobra.Command {
	o := examOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "exam GAME --model M [--positions FILE…]",
		Short: "Examine a network by positions of which something is known",
		Long: `Exam asks a network for its move and its expectation in positions, using a search
without noise that starts afresh in each position.

Without --positions, exam takes the sets of the game that are part of the program, and
prints one line for each:
  solved      the value of every action is known; right is what keeps it
  tactics     a win is proven that a search of 8 simulations missed
  judgement   how games went on from here: how far the expected value is off
  conversion  a clear win, to be won against a stubborn defender in time
docs/EXAMS.md says what the columns mean. For other games it solves the game itself and
asks about all of its positions; the game must be small, such as mnk.

With files of positions it takes those: sets, named *.jsonl
or *.jsonl.gz, or solved positions for a game with an exact solver, such as
connect4. A line of the latter is MOVES SCORE: the columns played from the empty
board, 1 to 7, and the score for the player to move. Only the sign of the score counts:
positive is a win, 0 a draw, negative a loss. Each file gets a line with its errors. An
error turns a win into a draw or a loss, or a draw into a loss; in a lost position no
move is an error. A file whose name ends in .gz is decompressed.

The search is the one that plays matches: it proves the results that it reaches,
which searches of other programs may not do. With --sims 0 there is no search, and
the network's most likely move counts; a conversion then has one simulation.

For a file, another line, on standard error, says how often the network alone is wrong,
and how far the expected value is off on average (win 1, draw 0, loss -1) with its bias
in brackets, with the search and without; with several numbers of simulations also
how far two other estimates of it are. With several models, the name of each
precedes its lines. The output is the same for any number of workers.`,
		Example: `  tiro exam coerceo --model bundled --sims 200
  tiro exam connect4 --model runs/connect4 --sims 16,64,600
  tiro exam mnk --model runs/tictactoe --sims 1
  tiro exam connect4 --model runs/connect4 --positions Test_L*.txt
  tiro exam connect4 --model runs/c4/checkpoints/000010 --model runs/c4 --positions Test_L1_R3.txt --sims 0`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.positions = append(o.positions, args[1:]...)
			return runExam(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.models, "model", nil, modelHelp+"; may be given several times")
	f.StringArrayVar(&o.positions, "positions", nil, "read positions from this `FILE` and those named after it (default the sets of the program, or all positions of a small game)")
	f.IntSliceVar(&o.sims, "sims", []int{player.ExamSimulations}, "simulations per move, 0 for the network alone; or several such `N`,…")
	f.Lookup("sims").DefValue = strconv.Itoa(player.ExamSimulations)
	workersVar(cmd, &o.workers, 1)
	f.StringVar(&o.json, "json", "", "write the results and every error to this `FILE`, as JSON")
	backendVar(cmd, &o.backend)
	return required(cmd, "model")
}

// validate checks the flags.
func (o *examOptions) validate() error {
	if len(o.sims) == 0 || slices.Min(o.sims) < 0 || slices.Max(o.sims) > player.MaxSimulations {
		return usage(fmt.Errorf("--sims must be numbers between 0 and %d", player.MaxSimulations))
	}
	return nil
}

// examination is what models are asked.
type examination struct {
	files []testFile
	sets  []exam.Set
}

// read reads everything that models are to be asked about.
func (o *examOptions) read(ctx context.Context, game env.Game) (x examination, err error) {
	for _, file := range o.positions {
		if isSet(file) {
			err = await(ctx, func() error { return x.readSet(game, file) })
		} else {
			err = x.readSolved(ctx, o.catalog, game, file)
		}
		if err != nil {
			return x, err
		}
	}
	if len(o.positions) > 0 {
		return x, nil
	}
	if x.sets, err = exam.Bundled(game); errors.Is(err, exam.ErrNone) {
		err = x.solveAll(game)
	}
	return x, err
}

func runExam(cmd *cobra.Command, name string, o examOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	game, err := o.newGame(name)
	if err != nil {
		return err
	}
	// Everything is read before the first exam: no typing error costs minutes.
	x, err := o.read(cmd.Context(), game)
	if err != nil {
		return err
	}
	var models []*net.Model
	for _, path := range o.models {
		model, err := o.openModel(game, o.backend, path)
		if err != nil {
			return err
		}
		sayForeign(cmd.ErrOrStderr(), path, model, game)
		models = append(models, model)
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	report := examReport{Game: name}
	meter := newMeter(cmd.ErrOrStderr())
	for i, model := range models {
		if len(models) > 1 {
			fmt.Fprintln(cmd.OutOrStdout(), o.models[i])
		}
		r, err := x.take(cmd, meter, game, o.engines(game, model))
		if err != nil {
			return err
		}
		r.Model, r.TrainedFor = o.models[i], model.Game()
		report.Models = append(report.Models, r)
	}
	return t.saveJSON(report)
}

// engines returns the engine that searches with model, for each number of simulations.
func (o *examOptions) engines(game env.Game, model *net.Model) (all []arena.EngineUnderTest) {
	for _, sims := range o.sims {
		all = append(all, arena.EngineUnderTest{
			Search:    player.NetworkConfig(sims),
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(game, model, maxBatch) },
			Workers:   o.workers,
		})
	}
	return all
}

// take examines engines, and prints and returns the outcome.
func (x *examination) take(cmd *cobra.Command, meter *meter, game env.Game, engines []arena.EngineUnderTest) (r modelReport, err error) {
	for i := range x.files {
		for _, engine := range engines {
			file, err := x.files[i].take(cmd, meter, engine, len(engines) > 1)
			if err != nil {
				return r, err
			}
			r.Files = append(r.Files, file)
		}
	}
	for i := range x.sets {
		for _, engine := range engines {
			result, err := takeSet(cmd.Context(), meter, game, &x.sets[i], engine)
			if err != nil {
				return r, err
			}
			r.Sets = append(r.Sets, result)
		}
	}
	if len(r.Sets) > 0 {
		fmt.Fprint(cmd.OutOrStdout(), exam.Table(r.Sets))
	}
	return r, nil
}

// examReport is what --json writes.
type examReport struct {
	Game   string        `json:"game"`
	Models []modelReport `json:"models"`
}

type modelReport struct {
	Model      string        `json:"model"`
	TrainedFor string        `json:"trained_for"` // canonical game string
	Files      []fileReport  `json:"files,omitempty"`
	Sets       []exam.Result `json:"sets,omitempty"`
}
