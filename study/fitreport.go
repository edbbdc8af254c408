package study

import (
	"fmt"
	"math"
	"strings"

	"tiro/arena"
	"tiro/format"
)

var fitHeader = format.Header{Format: 3, What: "tiro fit"}

// FitReport is what fits have found. Its JSON has the same fields.
type FitReport struct {
	format.Header
	Game       string       `json:"game"`
	Backend    string       `json:"backend"`
	Generation int          `json:"generation"` // of the run, whose window it is
	Samples    int          `json:"samples"`    // that the base learned from
	HeldOut    int          `json:"held_out"`   // samples of the games held out
	Games      int          `json:"games"`      // held out
	Baseline   float64      `json:"baseline"`   // loss of a prediction of the outcome that is the same for every position
	Fits       []FitRecord  `json:"fits"`
	Variants   []FitSummary `json:"variants"` // the base first
}

// FitSummary is what the fits of a variant have in common. Each interval covers other
// seeds and other games.
type FitSummary struct {
	Variant
	Measures []FitMeasure `json:"measures"`
}

// FitMeasure is a measure of the networks of a variant, of which less is better.
type FitMeasure struct {
	Name       string          `json:"name"`
	Values     []float64       `json:"values"` // by seed
	Mean       arena.Interval  `json:"mean"`
	Difference *arena.Interval `json:"difference,omitempty"` // from the base's
	Seeds      float64         `json:"seed_deviation"`       // standard deviation between seeds, of all variants together
}

// measure is a loss on a part of the games held out.
type measure struct {
	name string
	part func(r *FitRecord, part int) float64
}

var fitLosses = []measure{
	{"policy KL", func(r *FitRecord, i int) float64 { return r.Parts[i].PolicyKL }},
	{"outcome loss", func(r *FitRecord, i int) float64 { return r.Parts[i].Outcome }},
}

func (m measure) mean(r *FitRecord) float64 {
	sum, samples := 0.0, 0
	for i, p := range r.Parts {
		sum += float64(p.Samples) * m.part(r, i)
		samples += p.Samples
	}
	return sum / float64(max(1, samples))
}

// report compares all fits, which are in the order of seeds and, for each, variants.
func (f *Fits) report(all []FitRecord) FitReport {
	games := f.heldOut()
	r := FitReport{
		Header: fitHeader, Game: f.Window.Game.Spec().Name, Backend: f.Backend.Name(), Generation: f.Window.Generation,
		Samples: all[0].Samples, HeldOut: samplesOf(games), Games: len(games), Baseline: all[0].Baseline,
	}
	variants := make([][]FitRecord, len(f.Variants))
	for i := range all {
		v := i % len(f.Variants)
		variants[v] = append(variants[v], all[i])
	}
	for i := range f.Variants {
		r.Fits = append(r.Fits, variants[i]...)
		r.Variants = append(r.Variants, FitSummary{Variant: f.Variants[i]})
	}
	for _, m := range fitLosses {
		for i, s := range m.compare(variants) {
			r.Variants[i].Measures = append(r.Variants[i].Measures, s)
		}
	}
	return r
}

// compare returns the measure of every variant. The variance between seeds is that of
// all variants together, and games vary by the parts of those that are held out.
func (m measure) compare(variants [][]FitRecord) []FitMeasure {
	values := make([][]float64, len(variants))
	for v, records := range variants {
		for i := range records {
			values[v] = append(values[v], m.mean(&records[i]))
		}
	}
	n := float64(len(variants[0]))
	within := arena.Pool(values)
	all := make([]FitMeasure, len(variants))
	for v, records := range variants {
		mean := arena.Mean(values[v])
		all[v] = FitMeasure{Name: m.name, Values: values[v], Mean: within.Interval(mean, 1/n, m.games(records, nil)), Seeds: math.Sqrt(within.Variance)}
		if v > 0 {
			difference := arena.PoolBlocks(values).Interval(mean-arena.Mean(values[0]), 2/n, m.games(records, variants[0]))
			all[v].Difference = &difference
		}
	}
	return all
}

// games returns the variance that other games would add to the mean of a variant, or to
// its difference from a base: that of a ratio of sums over the parts (Cochran 1977,
// Sampling Techniques, section 6.3).
func (m measure) games(records, base []FitRecord) float64 {
	value := func(part int) (sum float64) {
		for i := range records {
			sum += m.part(&records[i], part) / float64(len(records))
		}
		for i := range base {
			sum -= m.part(&base[i], part) / float64(len(base))
		}
		return sum
	}
	samples, mean := 0.0, 0.0
	for i, p := range records[0].Parts {
		samples += float64(p.Samples)
		mean += float64(p.Samples) * value(i)
	}
	mean /= samples
	squares, parts := 0.0, 0.0
	for i, p := range records[0].Parts {
		if p.Samples > 0 {
			deviation := float64(p.Samples) * (value(i) - mean)
			squares += deviation * deviation
			parts++
		}
	}
	return squares / (samples * samples) * parts / max(1, parts-1)
}

// String returns the report for people.
func (r FitReport) String() string {
	var b strings.Builder
	width := len("variant")
	for _, v := range r.Variants {
		width = max(width, len(v.Name))
	}
	fmt.Fprintf(&b, "%s, window of generation %d, backend %s\n", r.Game, r.Generation, r.Backend)
	fmt.Fprintf(&b, "%d samples to learn from; %d of %d games held out\n\n", r.Samples, r.HeldOut, r.Games)
	losses := r.Variants[0].Measures[:2]
	fmt.Fprintf(&b, "%-*s  %4s %8s %9s  %s  %s\n", width, "variant", "seed", "steps", "CPU", losses[0].Name, losses[1].Name)
	for v, summary := range r.Variants {
		for seed := range losses[0].Values {
			fit := &r.Fits[v*len(losses[0].Values)+seed]
			fmt.Fprintf(&b, "%-*s  %4d %8d %8.0fs", width, fit.Name, fit.Seed, fit.Steps, fit.CPUSeconds)
			for i := range fitLosses {
				fmt.Fprintf(&b, "  %*.4f", len(losses[i].Name), summary.Measures[i].Values[seed])
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\nan outcome loss of %.4f needs no network; less is better everywhere\n", r.Baseline)
	for i := range r.Variants[0].Measures {
		r.writeMeasure(&b, width, i)
	}
	b.WriteString(compared(len(r.Variants) - 1))
	return b.String()
}

// writeMeasure writes what all variants came to by a measure.
func (r *FitReport) writeMeasure(b *strings.Builder, width, measure int) {
	first := &r.Variants[0].Measures[measure]
	fmt.Fprintf(b, "\n%s; seeds of a variant deviate by %.4f\n", first.Name, first.Seeds)
	fmt.Fprintf(b, "%-*s    mean  %-16s", width, "variant", "95% interval")
	if len(r.Variants) > 1 {
		fmt.Fprintf(b, "  against %s", r.Variants[0].Name)
	}
	b.WriteString("\n")
	for _, v := range r.Variants {
		m := &v.Measures[measure]
		line := fmt.Sprintf("%-*s  %6.4f  %16s", width, v.Name, m.Mean.Value, bounds(m.Mean, "%.4f"))
		if d := m.Difference; d != nil {
			line += fmt.Sprintf("  %+.4f  %18s  %s", d.Value, bounds(*d, "%+.4f"), verdict(*d))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// bounds returns the bounds of an interval for people, in a format for numbers.
func bounds(i arena.Interval, number string) string {
	if math.IsInf(i.Low, -1) {
		return "unknown"
	}
	return fmt.Sprintf(number+" to "+number, i.Low, i.High)
}

func verdict(i arena.Interval) string {
	switch {
	case i.Low > 0:
		return "worse"
	case i.High < 0:
		return "better"
	}
	return "unknown"
}
