package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"tiro/arena"
	"tiro/disk"
	"tiro/models"
	"tiro/net"
	"tiro/train"
)

// Fitted is the result of a fit.
type Fitted struct {
	// Recipe is the SHA-256 of everything that the fit depends on except its seed: settings,
	// games, length, program and backend. Fits with the same recipe are not repeated.
	Recipe string `json:"recipe"`

	Parts    []train.Measured `json:"parts"`    // losses on each part of the held-out games
	Baseline float64          `json:"baseline"` // see train.Measure
	Weights  models.File      `json:"weights"`
}

func (f *Fits) recipe(v *Variant) (string, error) {
	c := v.Config
	heldOut := []any{f.Variants[0].Config.Replay, f.Window.Config.Seed} // and sum
	text, err := yaml.Marshal([]any{
		c.Game, c.Net, c.Learner, c.Replay, heldOut, f.Window.sum, f.HoldOut, f.Steps, f.CPUTime, f.Tiro, f.Backend.Bits(),
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// intact reports whether a fit is complete and path has its weights.
func (r *Fitted) intact(path string) bool {
	data, err := disk.ReadFile(disk.OS{}, path, r.Weights.Bytes)
	return err == nil && models.Measure(data) == r.Weights && len(r.Parts) == fitParts
}

// saveWeights writes a weights file, and creates its folder if necessary.
func saveWeights(fsys disk.FS, path string, w *net.Weights) (models.File, error) {
	var data bytes.Buffer
	if err := w.Write(&data); err != nil {
		return models.File{}, err
	}
	folder := filepath.Dir(path)
	if _, err := disk.Subfolder(fsys, filepath.Dir(folder), filepath.Base(folder)); err != nil {
		return models.File{}, err
	}
	return models.Measure(data.Bytes()), disk.WriteFile(fsys, path, disk.Bytes(data.Bytes()))
}

// loss is a measure of a fit on a part of the held-out games. Lower is better.
type loss struct {
	name string
	of   func(m *train.Measured) float64
}

var fitLosses = []loss{
	{"policy KL", func(m *train.Measured) float64 { return m.PolicyKL }},
	{"outcome loss", func(m *train.Measured) float64 { return m.Outcome }},
}

// report compares all fits, which are in the order of the method each.
func (f *Fits) report(all []Trial) Report {
	var measures []Measure
	fits := make([][]*Fitted, len(f.Variants))
	for i := range all {
		fits[i%len(fits)] = append(fits[i%len(fits)], all[i].Fit)
	}
	for _, l := range fitLosses {
		measures = append(measures, l.measure(f.Variants, fits))
	}
	r := f.newReport(all, measures...)
	games := f.heldOut()
	training, _ := f.Window.split(f.Variants[0].Config.Replay, f.HoldOut)
	r.Notes = []string{
		fmt.Sprintf("%s: %d training samples; %d samples from %d games held out", f.Window.title(), samplesOf(training), samplesOf(games), len(games)),
		fmt.Sprintf("baseline (average result): %.4f outcome loss; lower is better in all columns", all[0].Fit.Baseline),
	}
	return r
}

// measure compares the fits of all variants. The variance of other games is estimated from the
// parts of the held-out games.
func (l loss) measure(variants []Variant, fits [][]*Fitted) Measure {
	values := make([][]float64, len(fits))
	for v, of := range fits {
		for _, fit := range of {
			mean, _ := l.overParts([]*Fitted{fit}, nil)
			values[v] = append(values[v], mean)
		}
	}
	return Measure{Name: l.name, Digits: 4}.measure(variants, values, true, func(v int, difference bool) arena.Pooled {
		var base []*Fitted
		if difference {
			base = fits[0]
		}
		_, further := l.overParts(fits[v], base)
		return further
	})
}

// overParts returns the mean loss of fits on all held-out games, minus the mean loss of base
// if that is not nil. The variance is the one that other games would add, estimated as the
// variance of a ratio of sums over the parts (Cochran 1977, Sampling Techniques, section 6.3).
func (l loss) overParts(fits, base []*Fitted) (mean float64, games arena.Pooled) {
	value := func(part int) (sum float64) {
		for _, fit := range fits {
			sum += l.of(&fit.Parts[part]) / float64(len(fits))
		}
		for _, fit := range base {
			sum -= l.of(&fit.Parts[part]) / float64(len(base))
		}
		return sum
	}
	samples := 0.0
	for i, p := range fits[0].Parts {
		samples += float64(p.Samples)
		mean += float64(p.Samples) * value(i)
	}
	mean /= max(1, samples)
	squares, parts := 0.0, 0.0
	for i, p := range fits[0].Parts {
		if p.Samples > 0 {
			deviation := float64(p.Samples) * (value(i) - mean)
			squares += deviation * deviation
			parts++
		}
	}
	return mean, arena.Pooled{Variance: squares / (samples * samples) * parts / max(1, parts-1), Freedom: parts - 1}
}
