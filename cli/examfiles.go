package cli

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/study/exam"
	"tiro/study/exam/solved"
)

// testFile is a file of solved positions, or all positions of a game.
type testFile struct {
	name      string
	questions []solved.Question
	exam      *solved.Exam
}

// solveAll solves the whole game, which is to be small.
func (x *examination) solveAll(game env.Game) error {
	whole, questions, err := solved.Solve(game)
	if err != nil {
		if _, ok := game.(env.Solvable); !ok {
			return usage(fmt.Errorf("there is no exam for this game: %w; want a game with a bundled exam, a small one such as mnk, or --positions", err))
		}
		return usage(fmt.Errorf("--positions is missing; want files of solved positions, for %w", err))
	}
	x.files = append(x.files, testFile{game.Spec().Name, questions, solved.New(whole, questions)})
	return nil
}

// readSolved reads a file of solved positions.
func (x *examination) readSolved(ctx context.Context, games catalog, game env.Game, file string) error {
	solvable, ok := game.(env.Solvable)
	if !ok {
		return usage(fmt.Errorf("%s has no exact solver of its positions; want %s, or sets named *.jsonl", game.Spec().Name, strings.Join(games.solvableGames(), ", ")))
	}
	var questions []solved.Question
	err := await(ctx, func() (err error) {
		questions, err = readQuestions(solvable, file)
		return err
	})
	if err == nil {
		x.files = append(x.files, testFile{file, questions, solved.New(solvable, questions)})
	}
	return err
}

// solvableGames names the games that have an exact solver.
func (c catalog) solvableGames() (names []string) {
	for _, name := range c.Names() {
		if game, err := c.New(name); err == nil {
			if _, ok := game.(env.Solvable); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// readQuestions reads the questions of a file.
func readQuestions(game env.Solvable, file string) (questions []solved.Question, err error) {
	err = readText(file, func(text io.Reader) (err error) {
		questions, err = solved.Read(game, text)
		return err
	})
	return questions, err
}

// readText has a file read, decompressed if its name ends in .gz. The error names it.
func readText(file string, read func(io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		text, err = gzip.NewReader(f)
	}
	if err == nil {
		err = read(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// take has the engine answer a file, and prints and returns the outcome; of one of
// several engines with its simulations.
func (f *testFile) take(cmd *cobra.Command, meter *meter, engine arena.EngineUnderTest, several bool) (fileReport, error) {
	name := f.name
	if several {
		name += fmt.Sprintf(", %d sims", engine.Search.Simulations)
	}
	meter.begin(filepath.Base(name), "positions", len(f.questions))
	engine.Answered = func() { meter.add(1, 0) }
	answers, err := f.exam.Take(cmd.Context(), engine)
	meter.end()
	if err != nil {
		return fileReport{}, err
	}
	r := fileReport{File: f.name, Simulations: engine.Search.Simulations, Positions: len(answers), Mistakes: []exam.Mistake{}}
	r.Score, r.Alone = f.exam.Score(answers)
	for i, a := range answers {
		if a.Wrong {
			r.Mistakes = append(r.Mistakes, exam.Mistake{Line: i + 1, Move: f.questions[i].State.ActionString(a.Action)})
		}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", name, errorsOf(r.Errors, r.Positions))
	others := "" // other estimates, for who compares numbers of simulations
	if several {
		others = fmt.Sprintf(", mean of simulations %.3f (%+.3f), best action %.3f (%+.3f)", r.Mean.Error, r.Mean.Bias, r.Best.Error, r.Best.Bias)
	}
	fmt.Fprintf(meter, "%s: value error %.3f (%+.3f)%s; network alone: %s, value error %.3f (%+.3f)\n",
		name, r.ValueError, r.ValueBias, others, errorsOf(r.Alone.Errors, r.Positions), r.Alone.ValueError, r.Alone.ValueBias)
	return r, nil
}

func errorsOf(n, of int) string {
	return fmt.Sprintf("errors %d of %d (%.1f%%)", n, of, 100*float64(n)/float64(of))
}

type fileReport struct {
	File        string `json:"file"`
	Simulations int    `json:"simulations"`
	Positions   int    `json:"positions"`
	solved.Score
	Alone    solved.Score   `json:"alone"` // of the network without a search
	Mistakes []exam.Mistake `json:"mistakes"`
}
