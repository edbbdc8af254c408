//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"gonum.org/v1/gonum/stat"

	"tiro/configs"
)

// judge prints what the samples of a soak say. It returns an error if memory grew
// by limit percent or more, or the number of file descriptors or goroutines grew
// at all.
func judge(w io.Writer, samples []sample, limit float64) error {
	if len(samples) < 6 {
		return fmt.Errorf("%d samples are too few for a verdict", len(samples))
	}
	end := samples[len(samples)-1]
	length := end.at
	window := min(10*time.Minute, length/6)
	first, last := between(samples, window, 2*window), between(samples, length-window, length)
	a, b := memory(first), memory(last)
	growth := 100 * (b.mean/a.mean - 1)
	spread := 100 * b.mean / a.mean * math.Hypot(a.err/a.mean, b.err/b.mean)
	fmt.Fprintf(w, "soak of %v, %d samples, %d generations, windows of %v\n", length.Round(time.Second), len(samples), end.generation, window.Round(time.Second))
	fmt.Fprintf(w, "memory       %.1f MiB in the second window, %.1f MiB in the last: %+.2f%% ± %.2f%%; the most %.1f MiB\n",
		a.mean/(1<<20), b.mean/(1<<20), growth, spread, memory(samples).most/(1<<20))
	var faults []error
	if !(growth < limit) {
		faults = append(faults, fmt.Errorf("memory grew by %.2f%%; want less than %v%%", growth, limit))
	}
	for _, c := range counters {
		before, after, all := most(first, c.of), most(last, c.of), most(samples, c.of)
		fmt.Fprintf(w, "%-12s %d at most in the second window, %d in the last, %d in all\n", c.name, before, after, all)
		if c.flat && after > before {
			faults = append(faults, fmt.Errorf("%s: at most %d became %d", c.name, before, after))
		}
	}
	if len(faults) == 0 {
		fmt.Fprintf(w, "verdict      flat: memory grew by less than %v%%\n", limit)
	}
	return errors.Join(faults...)
}

// counters are the counts of a sample. The number of threads is not judged,
// because the Go runtime keeps a thread for every system call that ever blocked
// beside others.
var counters = []struct {
	name string
	of   func(*sample) int
	flat bool
}{
	{"descriptors", func(s *sample) int { return s.descriptors }, true},
	{"goroutines", func(s *sample) int { return s.goroutines }, true},
	{"threads", func(s *sample) int { return s.threads }, false},
}

// between returns the samples with from < at <= to.
func between(samples []sample, from, to time.Duration) []sample {
	var some []sample
	for _, s := range samples {
		if s.at > from && s.at <= to {
			some = append(some, s)
		}
	}
	return some
}

// estimate is a mean in bytes with its standard error, and the largest reading.
type estimate struct{ mean, err, most float64 }

// memory estimates the mean memory over samples. Neighbouring samples are of one
// phase of a generation and hence alike; minutes are taken to be independent.
func memory(samples []sample) (e estimate) {
	minutes := map[int][]float64{}
	for _, s := range samples {
		e.mean += s.memory / float64(len(samples))
		e.most = max(e.most, s.most)
		minute := int(s.at.Minutes())
		minutes[minute] = append(minutes[minute], s.memory)
	}
	var means []float64
	for _, values := range minutes {
		means = append(means, stat.Mean(values, nil))
	}
	if n := float64(len(means)); n > 1 {
		e.err = math.Sqrt(stat.MomentAbout(2, means, e.mean, nil) / (n - 1))
	}
	return e
}

// most returns the largest of a count.
func most(samples []sample, of func(*sample) int) (n int) {
	for i := range samples {
		n = max(n, of(&samples[i]))
	}
	return n
}

// checkPeak returns an error if the process had more memory than the run may use.
func checkPeak(w io.Writer, samples []sample, bound configs.Bytes) error {
	peak := configs.Bytes(0)
	for i := range samples {
		peak = max(peak, samples[i].peak)
	}
	fmt.Fprintf(w, "peak of memory: %s; the run may use %v\n", peak.About(), bound)
	if bound > 0 && peak > bound {
		return fmt.Errorf("resident memory reached %s; the run may use %v", peak.About(), bound)
	}
	return nil
}
