package solved

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/study/exam"
)

// Paper is what an engine is asked at a time: a file of solved positions, all positions of
// a small game, or a frozen set of package exam.
type Paper struct {
	Name string // of the file or the game, or the kind of the set
	Set  *exam.Set

	game env.Game
	exam *Exam // nil for a set
}

// Papers reads files about a game: sets, named *.jsonl or *.jsonl.gz, and files of solved
// positions for games with an exact solver. Without files it returns the sets of the game
// that are part of the program, or else all positions of the game, which must be small.
func Papers(game env.Game, files []string) (all []Paper, err error) {
	for _, file := range files {
		p := Paper{Name: file, game: game}
		if err := readText(file, p.read); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if len(files) > 0 {
		return all, nil
	}
	sets, err := exam.Bundled(game)
	for i := range sets {
		all = append(all, Paper{Name: sets[i].Kind, Set: &sets[i], game: game})
	}
	if !errors.Is(err, exam.ErrNone) {
		return all, err
	}
	whole, questions, err := Solve(game)
	return []Paper{{Name: game.Spec().Name, game: game, exam: New(whole, questions)}}, err
}

// ErrNoSolver is wrapped by errors of Papers for files of solved positions of a game without
// an exact solver.
var ErrNoSolver = errors.New("no exact solver of its positions")

// read reads the paper's file.
func (p *Paper) read(text io.Reader) error {
	if strings.HasSuffix(strings.TrimSuffix(p.Name, ".gz"), ".jsonl") {
		set, err := exam.Read(text, p.game)
		p.Set = &set
		return err
	}
	solvable, ok := p.game.(env.Solvable)
	if !ok {
		return fmt.Errorf("%s has %w; want a set named *.jsonl", p.game.Spec().Name, ErrNoSolver)
	}
	questions, err := Read(solvable, text)
	p.exam = New(solvable, questions)
	return err
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

// Questions returns the number of positions.
func (p *Paper) Questions() int {
	if p.Set != nil {
		return len(p.Set.Questions)
	}
	return len(p.exam.questions)
}

// Result is how an engine did in solved positions.
type Result struct {
	File        string `json:"file"`
	Simulations int    `json:"simulations"`
	Positions   int    `json:"positions"`
	Score
	Alone    Score          `json:"alone"` // of the network without a search
	Mistakes []exam.Mistake `json:"mistakes"`
}

// Take has an engine answer the questions, which are not those of a set.
func (p *Paper) Take(ctx context.Context, e arena.EngineUnderTest) (Result, error) {
	r := Result{File: p.Name, Simulations: e.Search.Simulations, Positions: p.Questions(), Mistakes: []exam.Mistake{}}
	answers, err := p.exam.Take(ctx, e)
	if err != nil {
		return r, err
	}
	r.Score, r.Alone = p.exam.Score(answers)
	for i, a := range answers {
		if a.Wrong {
			r.Mistakes = append(r.Mistakes, exam.Mistake{Line: i + 1, Move: p.exam.questions[i].State.ActionString(a.Action)})
		}
	}
	return r, nil
}

// Summary returns the line of the result for programs: errors E of N (P %).
func (r *Result) Summary() string { return r.summary(r.Errors) }

func (r *Result) summary(wrong int) string {
	return fmt.Sprintf("errors %d of %d (%.1f%%)", wrong, r.Positions, 100*float64(wrong)/float64(r.Positions))
}

// Values returns how far expectations are off, for people; with several engines to be
// compared, other estimates of them too.
func (r *Result) Values(several bool) string {
	others := ""
	if several {
		others = fmt.Sprintf(", mean of simulations %.3f (%+.3f), best action %.3f (%+.3f)", r.Mean.Error, r.Mean.Bias, r.Best.Error, r.Best.Bias)
	}
	return fmt.Sprintf("value error %.3f (%+.3f)%s; network alone: %s, value error %.3f (%+.3f)",
		r.ValueError, r.ValueBias, others, r.summary(r.Alone.Errors), r.Alone.ValueError, r.Alone.ValueBias)
}
