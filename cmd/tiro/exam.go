package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/env/games"
	"tiro/format"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
)

// examOptions are the flags of tiro exam.
type examOptions struct {
	models    []string
	positions []string
	sims      int
	workers   int
	json      string
	backend   kernel.Backend
}

func examCommand() *cobra.Command {
	var o examOptions
	cmd := &cobra.Command{
		Use:   "exam GAME --model M [--positions FILE…]",
		Short: "Count a network's errors in solved positions",
		Long: `Exam asks a network for its move in solved positions, using a search without
noise that starts afresh in each position, and prints how many of the moves are
errors. An error turns a win into a draw or a loss, or a draw into a loss; in a
lost position no move is an error.

Without --positions, exam solves the game itself and asks about all of its
positions; the game must be small, such as mnk. With files of positions it prints
one line per file, and the game must have an exact solver, as connect4 has. A line
of a file is MOVES SCORE: the columns played from the empty board, 1 to 7, and the
score for the player to move. Only the sign of the score counts: positive is a win,
0 a draw, negative a loss. A file whose name ends in .gz is decompressed.

The search is the one that plays matches: it proves the results that it reaches,
which searches of other programs may not do. With --sims 0 there is no search, and
the network's most likely move counts.

Another line, on standard error, says how often the network alone is wrong, and
the mean absolute error of the predicted value (win 1, draw 0, loss -1), with the
search and without. With several models, the name of each precedes its lines. The
output is the same for any number of workers.`,
		Example: `  tiro exam mnk --model runs/tictactoe --sims 1
  tiro exam connect4 --model runs/connect4 --positions Test_L*.txt
  tiro exam connect4 --model runs/c4/checkpoints/000010 --model runs/c4 --positions Test_L1_R3.txt --sims 0`,
		Args:              args("GAME", "[FILE…]"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.positions = append(o.positions, args[1:]...)
			return runExam(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.models, "model", nil, "run folder, checkpoint, weights file or bundled; may be given several times")
	f.StringArrayVar(&o.positions, "positions", nil, "read solved positions from this `FILE` and those named after it (default all positions of the game)")
	f.IntVar(&o.sims, "sims", arena.ExamSimulations, "simulations a move, 0 for the network alone")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "threads; affects speed only")
	f.StringVar(&o.json, "json", "", "write the results and every error to this file, as JSON")
	backendVar(cmd, &o.backend)
	return cmd
}

// validate checks the flags.
func (o *examOptions) validate() error {
	return cmp.Or(
		unless(len(o.models) > 0, "--model is missing; want a run folder, a checkpoint, a weights file or bundled"),
		inRange("--sims", o.sims, 0, arena.MaxSimulations),
		inRange("--workers", o.workers, 1, maxThreads),
	)
}

// testFile is a file of solved positions, or all positions of a game.
type testFile struct {
	name      string
	questions []arena.Question
	exam      *arena.Exam
}

func runExam(cmd *cobra.Command, name string, o examOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	// Everything is read before the first exam: no typing error costs minutes.
	files, err := o.testFiles(cmd.Context(), game)
	if err != nil {
		return err
	}
	var models []*net.Model
	for _, path := range o.models {
		model, err := openModel(game, o.backend, path)
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
	report := examReport{Header: examHeader, Game: name, Simulations: o.sims}
	meter := newMeter(cmd.ErrOrStderr())
	for i, model := range models {
		if len(models) > 1 {
			fmt.Fprintln(cmd.OutOrStdout(), o.models[i])
		}
		engine := arena.EngineUnderTest{
			Search:    arena.NetworkConfig(o.sims),
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(game, model, maxBatch) },
			Workers:   o.workers,
		}
		r := modelReport{Model: o.models[i], TrainedFor: model.Game()}
		for _, f := range files {
			file, err := f.take(cmd, meter, engine)
			if err != nil {
				return err
			}
			r.Files = append(r.Files, file)
		}
		report.Models = append(report.Models, r)
	}
	return t.saveJSON(report)
}

// testFiles reads the files of positions; without any, it solves the whole game.
func (o *examOptions) testFiles(ctx context.Context, game env.Game) (files []testFile, err error) {
	if len(o.positions) == 0 {
		solved, questions, err := arena.Exhaust(game)
		if err != nil {
			if _, ok := game.(env.Solvable); !ok {
				return nil, usage(fmt.Errorf("there is no exam for this game: %w; exams are for small games such as mnk, and with --positions for %s", err, strings.Join(solvableGames(), ", ")))
			}
			return nil, usage(fmt.Errorf("--positions is missing; want files of solved positions, for %w", err))
		}
		return []testFile{{game.Spec().Name, questions, arena.NewExam(solved, questions)}}, nil
	}
	solvable, ok := game.(env.Solvable)
	if !ok {
		return nil, usage(fmt.Errorf("%s has no exact solver of its positions; want %s", game.Spec().Name, strings.Join(solvableGames(), ", ")))
	}
	for _, file := range o.positions {
		var questions []arena.Question
		err := await(ctx, func() (err error) {
			questions, err = readQuestions(solvable, file)
			return err
		})
		if err != nil {
			return nil, err
		}
		files = append(files, testFile{file, questions, arena.NewExam(solvable, questions)})
	}
	return files, nil
}

// solvableGames names the games that have an exact solver.
func solvableGames() (names []string) {
	for _, name := range games.Names() {
		if game, err := games.New(name); err == nil {
			if _, ok := game.(env.Solvable); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// readQuestions reads a file of solved positions.
func readQuestions(game env.Solvable, file string) (questions []arena.Question, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		text, err = gzip.NewReader(f)
	}
	if err == nil {
		questions, err = arena.ReadQuestions(game, text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return questions, nil
}

// take has the engine answer a file, and prints and returns the outcome.
func (f *testFile) take(cmd *cobra.Command, meter *meter, engine arena.EngineUnderTest) (fileReport, error) {
	meter.start(job{what: f.name, short: filepath.Base(f.name), steps: amount{total: len(f.questions), unit: "positions"}})
	engine.Answered = func() { meter.add(1, 0) }
	answers, err := f.exam.Take(cmd.Context(), engine)
	meter.end()
	if err != nil {
		return fileReport{}, err
	}
	r := fileReport{File: f.name, Positions: len(answers), Mistakes: []mistake{}}
	r.ExamScore, r.Alone = f.exam.Score(answers)
	for i, a := range answers {
		if a.Wrong {
			r.Mistakes = append(r.Mistakes, mistake{i + 1, f.questions[i].State.ActionString(a.Action)})
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", f.name, errorsOf(r.Errors, r.Positions))
	fmt.Fprintf(meter, "%s: value error %.3f; network alone: %s, value error %.3f\n",
		f.name, r.ValueError, errorsOf(r.Alone.Errors, r.Positions), r.Alone.ValueError)
	return r, nil
}

func errorsOf(n, of int) string {
	return fmt.Sprintf("errors %d of %d (%.1f %%)", n, of, 100*float64(n)/float64(of))
}

// examHeader is the kind of file that an examReport makes.
var examHeader = format.Header{Format: 2, What: "tiro exam"}

// examReport is what --json writes.
type examReport struct {
	format.Header
	Game        string        `json:"game"`
	Simulations int           `json:"simulations"`
	Models      []modelReport `json:"models"`
}

type modelReport struct {
	Model      string       `json:"model"`
	TrainedFor string       `json:"trained_for"` // canonical game string
	Files      []fileReport `json:"files"`
}

type fileReport struct {
	File      string `json:"file"`
	Positions int    `json:"positions"`
	arena.ExamScore
	Alone    arena.ExamScore `json:"alone"` // of the network without a search
	Mistakes []mistake       `json:"mistakes"`
}

// mistake is a line of a file and the move that throws away its value.
type mistake struct {
	Line int    `json:"line"`
	Move string `json:"move"`
}
