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

	// Recipe is the SHA-256 of all that the fit depends on: settings, games, length, program
	// and backend. Fits of the same recipe are not done twice.
	Recipe string `json:"recipe"`

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
	text, err := yaml.Marshal([]any{
		c.Game, c.Net, c.Learner, c.Replay, f.Window.sum, f.HoldOut, f.Steps, f.CPUTime, f.Tiro, f.Backend.Name(),
	})
	if err != nil {
		return FitRecord{}, err
	}
	sum := sha256.Sum256(text)
	return FitRecord{Variant: *v, Seed: seed, Recipe: hex.EncodeToString(sum[:])}, nil
}

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

const maxReport = 1 << 26

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
