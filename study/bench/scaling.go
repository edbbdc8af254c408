package bench

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"tiro/env"
	"tiro/net"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// Scaling measures how much more a machine does with more threads, by generations of a
// training: with 1, 2, 4, … threads a generation on all of them, and beside it the limit,
// as many generations side by side, each on a thread of its own.
type Scaling struct {
	Game    env.Game
	Find    env.Lookup    // of its variants
	Config  recipe.Config // of the generation, which is the first one
	Network *net.Weights  // that plays and learns; nil: a new one
	Backend net.Backend
	Threads int    // at most
	Dir     string // an empty folder for the training runs
	Clock   func() time.Time

	Finished func() // is called after each generation, by one goroutine at a time
}

// Speeds are the speeds of a number of threads.
type Speeds struct {
	Evaluations float64 `json:"evaluations_per_second"` // in self-play
	Samples     float64 `json:"samples_per_second"`     // in learning
	Selfplay    float64 `json:"selfplay_seconds"`
	Learning    float64 `json:"learning_seconds"`
	Rest        float64 `json:"rest_seconds"` // of the generation
	Generation  float64 `json:"generation_seconds"`
}

// Scaled is the result for a number of threads.
type Scaled struct {
	Threads  int    `json:"threads"`
	Measured Speeds `json:"measured"`
	Limit    Speeds `json:"limit"`
}

// Counts returns the numbers of threads that are measured.
func (s *Scaling) Counts() (counts []int) {
	for n := 1; n < s.Threads; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, s.Threads)
}

// Generations returns how many generations Run plays.
func (s *Scaling) Generations() (n int) {
	for _, threads := range s.Counts()[1:] {
		n += 1 + threads
	}
	return 1 + n
}

// Run measures all numbers of threads.
func (s *Scaling) Run(ctx context.Context) (all []Scaled, err error) {
	for _, threads := range s.Counts() {
		r := Scaled{Threads: threads}
		if r.Measured, err = s.measure(ctx, 1, threads); err != nil {
			return nil, err
		}
		if r.Limit = r.Measured; threads > 1 {
			if r.Limit, err = s.measure(ctx, threads, 1); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// measure returns the speeds of a number of training runs side by side, each of a generation
// on some threads.
func (s *Scaling) measure(ctx context.Context, trainings, threads int) (all Speeds, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make(chan Speeds)
	for i := range trainings {
		go func() {
			one, err := s.generation(ctx, filepath.Join(s.Dir, fmt.Sprintf("%d-%d-%d", trainings, threads, i)), threads)
			if err != nil {
				cancel(err)
			}
			results <- one
		}()
	}
	n := float64(trainings)
	for range trainings {
		one := <-results
		all.Evaluations += one.Evaluations
		all.Samples += one.Samples
		// n generations side by side take as long as n of this length one after the other.
		all.Selfplay += one.Selfplay / n / n
		all.Learning += one.Learning / n / n
		all.Rest += one.Rest / n / n
		all.Generation += one.Generation / n / n
		s.Finished()
	}
	return all, context.Cause(ctx)
}

// generation returns the speeds of a training run of a generation in a new folder.
func (s *Scaling) generation(ctx context.Context, dir string, threads int) (v Speeds, err error) {
	o := train.Options{
		Dir: dir, Game: s.Game, Find: s.Find, Config: s.Config, Backend: s.Backend, Workers: threads, Threads: threads,
		Generations: 1, Clock: s.Clock,
	}
	o.Config.Memory, o.Config.Disk, o.Config.Duels.Share = 0, 0, 0
	o.Events = func(e train.Event) {
		if c, ok := e.(train.Completed); ok {
			v = speeds(&c.Metrics, o.Config.Learner.BatchSize)
		}
	}
	if s.Network != nil {
		if err := train.WarmStart(ctx, o, train.Beginning{Weights: s.Network}); err != nil {
			return v, err
		}
	}
	return v, train.Run(ctx, o)
}

// speeds returns the speeds of a generation.
func speeds(m *rundir.Metrics, batch int) Speeds {
	k := m.Machine
	v := Speeds{
		Evaluations: k.EvaluationsPerSecond, Selfplay: k.SelfplaySeconds, Learning: k.LearnSeconds, Generation: k.Seconds,
		Rest: max(0, k.Seconds-k.SelfplaySeconds-k.LearnSeconds),
	}
	if v.Learning > 0 {
		v.Samples = float64(m.Steps*batch) / v.Learning
	}
	return v
}

// WriteTable writes the results for people, each figure with the percentage of the limit
// that it reaches.
func WriteTable(w io.Writer, all []Scaled) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tself-play\t\tlearning\t\tseconds a generation\t\t\t\t\t")
	fmt.Fprintln(t, "threads\tevals/s\tof limit\tsamples/s\tof limit\tself-play\tlearning\tthe rest\tin all\tlimit\tof limit\t")
	for _, r := range all {
		m, l := &r.Measured, &r.Limit
		fmt.Fprintf(t, "%d\t%.0f\t%s\t%.0f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t\n", r.Threads, m.Evaluations, percent(m.Evaluations, l.Evaluations),
			m.Samples, percent(m.Samples, l.Samples), m.Selfplay, m.Learning, m.Rest, m.Generation, l.Generation, percent(l.Generation, m.Generation))
	}
	return t.Flush()
}

// percent returns a part of a whole, or a dash if there is none.
func percent(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part/whole)
}
