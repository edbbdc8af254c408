package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"tiro/disk"
	"tiro/format"
	"tiro/models"
	"tiro/models/card"
	"tiro/net"
	"tiro/train"
)

// fitsFile is the name of the file of finished fits.
const fitsFile = "fits.json"

// fitLogHeader is the header of fits.json.
var fitLogHeader = format.Header{Format: 1, What: "tiro fits"}

// FitRecord is a fit that has finished.
type FitRecord struct {
	Variant
	Seed int `json:"seed"`

	// What was done. Two fits that agree in this, program and backend come to the same
	// weights, if the length is a number of steps.
	Settings string  `json:"settings"` // SHA-256 of the settings that count
	Window   string  `json:"window"`   // SHA-256 of the games
	HoldOut  float64 `json:"hold_out"`
	MaxSteps int     `json:"max_steps"`       // 0: CPU time counts
	MaxCPU   float64 `json:"max_cpu_seconds"` // 0: steps count
	Tiro     string  `json:"tiro"`
	Backend  string  `json:"backend"`

	// What came of it.
	Samples    int              `json:"samples"` // in the window, without those held out
	Steps      int              `json:"steps"`
	CPUSeconds float64          `json:"cpu_seconds"` // 0: unknown
	Parts      []train.Measured `json:"parts"`       // the losses on each part of the games held out
	Baseline   float64          `json:"baseline"`    // see train.Measure
	Weights    models.File      `json:"weights"`
	Exams      []ExamResult     `json:"exams,omitempty"`
}

// folder returns the name of the folder of the weights.
func (r *FitRecord) folder() string { return fmt.Sprintf("%s-%d", r.Name, r.Seed) }

// record returns the record of a fit that has not been done.
func (f *Fits) record(v *Variant, seed int) (FitRecord, error) {
	c := v.Config
	settings, err := yaml.Marshal([]any{c.Game, c.Net, c.Learner, c.Replay})
	if err != nil {
		return FitRecord{}, err
	}
	sum := sha256.Sum256(settings)
	return FitRecord{
		Variant: *v, Seed: seed, Settings: hex.EncodeToString(sum[:]), Window: f.Window.sum, HoldOut: f.HoldOut,
		MaxSteps: f.Steps, MaxCPU: f.CPUTime.Seconds(), Tiro: f.Tiro, Backend: f.Backend.Name(),
	}, nil
}

// conflict says in what a fit differs from one of the same name and seed, so that it
// must not take its place; "" if in nothing but program and backend.
func (r *FitRecord) conflict(other *FitRecord) string {
	switch {
	case r.Settings != other.Settings:
		return fmt.Sprintf("is a fit with other settings (%s)", strings.Join(other.Changes, " "))
	case r.Window != other.Window || r.HoldOut != other.HoldOut:
		return "is a fit to other games"
	case r.MaxSteps != other.MaxSteps || r.MaxCPU != other.MaxCPU:
		return fmt.Sprintf("is a fit of another length (%d steps, %v s of CPU time)", other.MaxSteps, other.MaxCPU)
	}
	return ""
}

// intact reports whether the weights are still there.
func (r *FitRecord) intact(path string) bool {
	data, err := disk.ReadFile(disk.OS{}, path, r.Weights.Bytes)
	return err == nil && models.Measure(data) == r.Weights
}

// fitLog is the file of finished fits.
type fitLog struct {
	fsys    disk.FS
	path    string
	content fitLogContent
}

type fitLogContent struct {
	format.Header
	Fits []FitRecord `json:"fits"`
}

// openFitLog reads the log at path. If there is no such file, the log is empty.
func openFitLog(fsys disk.FS, path string) (*fitLog, error) {
	l := &fitLog{fsys: fsys, path: path}
	if err := openLog(fsys, path, l.read); err != nil {
		return nil, err
	}
	return l, nil
}

// read decodes and checks the content of a log.
func (l *fitLog) read(data []byte) error {
	if err := format.DecodeJSON(data, fitLogHeader, &l.content); err != nil {
		return err
	}
	k := &card.Checker{}
	seen := map[string]bool{}
	for i := range l.content.Fits {
		r, at := &l.content.Fits[i], fmt.Sprintf("fits[%d].", i)
		k.Line(at+"name", r.Name)
		k.Check(!seen[r.folder()], at+"seed", r.Seed, "one that this variant does not have yet")
		k.Checksum(at+"settings", r.Settings)
		k.Checksum(at+"window", r.Window)
		k.Checksum(at+"weights.sha256", r.Weights.SHA256)
		k.Check(r.Weights.Bytes > 0, at+"weights.bytes", r.Weights.Bytes, "1 or more")
		k.Check(len(r.Parts) == fitParts, at+"parts", len(r.Parts), fmt.Sprintf("%d", fitParts))
		k.AtLeast(at+"steps", r.Steps, 1)
		seen[r.folder()] = true
	}
	return k.Err()
}

// find returns the fit of the log that equals r, or nil. It is an error if another one
// has its name and seed.
func (l *fitLog) find(r FitRecord) (*FitRecord, error) {
	i := l.index(r)
	if i < 0 {
		return nil, nil
	}
	known := &l.content.Fits[i]
	if reason := r.conflict(known); reason != "" {
		return nil, fmt.Errorf("%s; want another name, another folder, or this one moved elsewhere", reason)
	}
	if known.Tiro != r.Tiro || known.Backend != r.Backend {
		return nil, nil
	}
	known.Variant = r.Variant // with its configuration
	return known, nil
}

func (l *fitLog) index(r FitRecord) int {
	return slices.IndexFunc(l.content.Fits, func(k FitRecord) bool { return k.folder() == r.folder() })
}

// put adds a fit, or replaces the one of its name and seed.
func (l *fitLog) put(r FitRecord) {
	if i := l.index(r); i >= 0 {
		l.content.Fits[i] = r
		return
	}
	l.content.Fits = append(l.content.Fits, r)
}

// save writes the log, which appears complete or stays as it was.
func (l *fitLog) save() error {
	l.content.Header = fitLogHeader
	return saveLog(l.fsys, l.path, l.content)
}

// saveWeights writes a weights file, and its folder if need be.
func saveWeights(fsys disk.FS, path string, w *net.Weights) (models.File, error) {
	var data bytes.Buffer
	if err := w.Write(&data); err != nil {
		return models.File{}, err
	}
	if err := disk.MkdirAll(fsys, filepath.Dir(path)); err != nil {
		return models.File{}, err
	}
	return models.Measure(data.Bytes()), save(fsys, path, disk.Bytes(data.Bytes()))
}
