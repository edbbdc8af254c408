package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"tiro/disk"
	"tiro/format"
	"tiro/models"
	"tiro/net"
	"tiro/train"
)

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

// reportFile is the name of the report in the folder of an ablation or of fits. That of
// fits also keeps those that have finished.
const reportFile = "report.json"

// openFits returns the fits that the report in a folder has, none if there is no report.
func openFits(fsys disk.FS, dir string) ([]FitRecord, error) {
	path := filepath.Join(dir, reportFile)
	data, err := disk.ReadFile(fsys, path, maxReport)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r FitReport
	if err == nil {
		err = format.DecodeJSON(data, fitHeader, &r)
	}
	if err == nil && slices.ContainsFunc(r.Fits, func(f FitRecord) bool { return len(f.Parts) != fitParts }) {
		err = fmt.Errorf("a fit does not have %d parts", fitParts)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; move it elsewhere, or name another folder", path, err)
	}
	return r.Fits, nil
}

// maxReport bounds a report, in bytes.
const maxReport = 1 << 26

// find returns the fit among known ones that equals r, or nil. It is an error if another
// one has its name and seed.
func (r *FitRecord) find(known []FitRecord) (*FitRecord, error) {
	i := slices.IndexFunc(known, func(k FitRecord) bool { return k.folder() == r.folder() })
	if i < 0 {
		return nil, nil
	}
	if reason := r.conflict(&known[i]); reason != "" {
		return nil, fmt.Errorf("%s; want another name, another folder, or this one moved elsewhere", reason)
	}
	if known[i].Tiro != r.Tiro || known[i].Backend != r.Backend {
		return nil, nil
	}
	known[i].Variant = r.Variant // with its configuration
	return &known[i], nil
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

// saveReport writes the report of an ablation or of fits into their folder.
func saveReport(fsys disk.FS, dir string, report any) error {
	return save(fsys, filepath.Join(dir, reportFile), func(w io.Writer) error { return format.EncodeJSON(w, report) })
}

// save writes a file, which appears complete or not at all.
func save(fsys disk.FS, path string, write func(io.Writer) error) error {
	if err := disk.WriteFile(fsys, path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
