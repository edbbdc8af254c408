package study

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/net"
	"tiro/study/exam"
	"tiro/study/exam/solved"
)

// FitExam is an exam that the network of every fit takes.
type FitExam struct {
	Name        string // different for each
	Simulations int    // a move; 0: the network alone

	// Take has an engine take the exam and returns numbers of which less is better, the
	// same ones for every engine.
	Take func(ctx context.Context, e arena.EngineUnderTest) ([]ExamNumber, error)
}

// ExamNumber says how an engine did in an exam. Less is better.
type ExamNumber struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// ExamResult is how a network did in an exam.
type ExamResult struct {
	Name        string       `json:"name"`
	Simulations int          `json:"simulations"`
	Numbers     []ExamNumber `json:"numbers"`
}

// SolvedExam is an exam of solved positions: how often the engine throws away what a
// position is worth, and how far its expectation is off.
func SolvedExam(name string, x *solved.Exam, simulations int) FitExam {
	return FitExam{name, simulations, func(ctx context.Context, e arena.EngineUnderTest) ([]ExamNumber, error) {
		answers, err := x.Take(ctx, e)
		if err != nil {
			return nil, err
		}
		score, _ := x.Score(answers)
		return []ExamNumber{{"errors", float64(score.Errors) / float64(max(1, len(answers)))}, {"value error", score.ValueError}}, nil
	}}
}

// SetExam is an exam by a frozen set of positions of a game: how often the action is not
// right, how much of the policy is not on right actions, and the log loss of the expected
// value, as far as the set asks for them; or how many conversions are not won.
func SetExam(set *exam.Set, game env.Game, simulations int) FitExam {
	return FitExam{set.Kind, simulations, func(ctx context.Context, e arena.EngineUnderTest) ([]ExamNumber, error) {
		r, err := set.Take(ctx, game, e)
		switch {
		case err != nil:
			return nil, err
		case r.Conversion != nil:
			return []ExamNumber{{"not won", 1 - float64(r.Conversion.Won)/float64(max(1, r.Positions))}}, nil
		}
		loss := ExamNumber{"value log loss", r.Searched.Value.LogLoss}
		if r.Searched.Choices == 0 {
			return []ExamNumber{loss}, nil
		}
		wrong := 1 - float64(r.Searched.Right)/float64(r.Searched.Choices)
		return []ExamNumber{{"errors", wrong}, {"policy not on right actions", 1 - r.Searched.Mass}, loss}, nil
	}}
}

// checkExams returns an error if two exams have the same name.
func checkExams(exams []FitExam) error {
	seen := map[string]bool{}
	for _, x := range exams {
		if seen[x.Name] {
			return fmt.Errorf("two exams are called %s; want different ones", x.Name)
		}
		seen[x.Name] = true
	}
	return nil
}

// checkNumbers returns an error unless every exam has given the same numbers of all fits.
// Some may be from a file, which another program has written that calls itself the same.
func (f *Fits) checkNumbers(all []FitRecord) error {
	for i := range f.Exams {
		want := all[0].exam(&f.Exams[i])
		for j := range all {
			got := all[j].exam(&f.Exams[i])
			if got.names() != want.names() {
				return &ConflictError{
					filepath.Join(f.Dir, all[j].folder()),
					fmt.Sprintf("has %q of exam %s, and %s has %q; want another folder, or this one moved elsewhere", got.names(), got.Name, all[0].folder(), want.names()),
				}
			}
		}
	}
	return nil
}

// names returns the names of the result's numbers, in order.
func (r *ExamResult) names() string {
	names := make([]string, len(r.Numbers))
	for i, n := range r.Numbers {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// exam returns the result of an exam, or nil if it has not been taken.
func (r *FitRecord) exam(x *FitExam) *ExamResult {
	i := slices.IndexFunc(r.Exams, func(e ExamResult) bool { return e.Name == x.Name && e.Simulations == x.Simulations })
	if i < 0 {
		return nil
	}
	return &r.Exams[i]
}

// examine lets the network of a fit take the exams that it has not taken yet.
func (f *Fits) examine(ctx context.Context, log *fitLog, r FitRecord, path string) (FitRecord, error) {
	for i := range f.Exams {
		x := &f.Exams[i]
		if r.exam(x) != nil {
			continue
		}
		weights, _, err := models.Open(disk.OS{}, path, func(string) (env.Game, error) { return f.Window.Game, nil })
		if err != nil {
			return r, err
		}
		model := net.Compile(f.Backend, weights)
		numbers, err := x.Take(ctx, arena.EngineUnderTest{
			Search:    arena.NetworkConfig(x.Simulations),
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(f.Window.Game, model, batch) },
			Workers:   1,
		})
		if err != nil {
			return r, fmt.Errorf("%s: %w", x.Name, err)
		}
		r.Exams = append(r.Exams, ExamResult{x.Name, x.Simulations, numbers})
		log.put(r)
		if err := log.save(); err != nil {
			return r, err
		}
	}
	return r, nil
}
