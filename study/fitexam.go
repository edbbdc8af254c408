package study

import (
	"context"
	"slices"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/net"
)

// FitExam is an exam that the network of every fit takes.
type FitExam struct {
	Name        string
	Exam        *arena.Exam
	Simulations int // a move; 0: the network alone
}

// ExamResult is how a network did in an exam.
type ExamResult struct {
	Name        string `json:"name"`
	Simulations int    `json:"simulations"`
	Positions   int    `json:"positions"`
	arena.ExamScore
}

// examine lets the network of a fit take the exams that it has not taken yet.
func (f *Fits) examine(ctx context.Context, log *fitLog, title string, r FitRecord, path string) (FitRecord, error) {
	for _, x := range f.Exams {
		taken := func(e ExamResult) bool { return e.Name == x.Name && e.Simulations == x.Simulations }
		if slices.ContainsFunc(r.Exams, taken) {
			continue
		}
		weights, _, err := models.Open(disk.OS{}, path, func(string) (env.Game, error) { return f.Window.Game, nil })
		if err != nil {
			return r, err
		}
		model := net.Compile(f.Backend, weights)
		answers, err := x.Exam.Take(ctx, arena.EngineUnderTest{
			Search:    arena.NetworkConfig(x.Simulations),
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(f.Window.Game, model, batch) },
			Workers:   1,
		})
		if err != nil {
			return r, err
		}
		score, _ := x.Exam.Score(answers)
		r.Exams = append(r.Exams, ExamResult{x.Name, x.Simulations, len(answers), score})
		log.put(r)
		if err := log.save(); err != nil {
			return r, err
		}
	}
	return r, nil
}
