package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tiro/env"
	"tiro/net"
)

// Files of a checkpoint.
const (
	weightsFile = "weights.safetensors"
	solverFile  = "optimizer.safetensors"
	stateFile   = "state.json"
	infoFile    = "info.json"
)

// Checkpoint is a run at the end of a generation.
type Checkpoint struct {
	Generation int
	Weights    *net.Weights
	Solver     []net.Tensor    // may be empty
	State      json.RawMessage // whatever else the owner needs to go on
	Figures    json.RawMessage // for people; may be nil
}

// Store is the checkpoints folder of a run for one game.
type Store struct {
	dir  string
	spec env.Spec
}

// NewStore returns the store in the folder dir, which Save makes if need be.
func NewStore(dir string, spec env.Spec) *Store { return &Store{dir: dir, spec: spec} }

// Dir returns the folder of a generation's checkpoint.
func (s *Store) Dir(generation int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%06d", generation))
}

// Save writes a checkpoint, which must be of a generation that is not there
// yet. When it returns nil, the checkpoint outlasts a crash of the machine; on
// error the store is as it was.
func (s *Store) Save(c Checkpoint) error {
	if err := s.save(c); err != nil {
		return fmt.Errorf("models: save checkpoint %d: %w", c.Generation, err)
	}
	return nil
}

func (s *Store) save(c Checkpoint) error {
	final := s.Dir(c.Generation)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("%s is there already", final)
	}
	beside := final + unfinished
	if err := os.RemoveAll(beside); err != nil {
		return err
	}
	if err := os.MkdirAll(beside, 0o777); err != nil {
		return err
	}
	if err := writeCheckpoint(beside, c); err != nil {
		return errors.Join(err, os.RemoveAll(beside))
	}
	if err := os.Rename(beside, final); err != nil {
		return errors.Join(err, os.RemoveAll(beside))
	}
	return syncFolder(s.dir)
}

// writeCheckpoint writes the files of c into the folder dir and flushes them.
func writeCheckpoint(dir string, c Checkpoint) error {
	info := newInfo(c)
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{weightsFile, c.Weights.Write},
		{solverFile, func(w io.Writer) error { return net.WriteTensors(w, c.Solver, nil) }},
		{stateFile, func(w io.Writer) error { return writeJSON(w, c.State) }},
		// Last, because it tells of the others.
		{infoFile, func(w io.Writer) error { return writeJSON(w, info) }},
	}
	for _, f := range files {
		sum := newSummer()
		err := writeSynced(filepath.Join(dir, f.name), func(w io.Writer) error {
			return f.write(io.MultiWriter(w, sum))
		})
		if err != nil {
			return err
		}
		info.Files[f.name] = sum.File()
	}
	return syncFolder(dir)
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// List returns the generations of which there is a checkpoint, ascending. A
// store without its folder has none.
func (s *Store) List() ([]int, error) {
	generations, err := list(s.dir)
	if err != nil {
		return nil, fmt.Errorf("models: list checkpoints: %w", err)
	}
	return generations, nil
}

func list(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var generations []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n >= 0 && e.IsDir() && e.Name() == fmt.Sprintf("%06d", n) {
			generations = append(generations, n)
		}
	}
	slices.Sort(generations) // names of more than six digits are out of order
	return generations, nil
}

// Load reads the checkpoint of a generation and checks that its files are the
// ones that Save wrote.
func (s *Store) Load(generation int) (Checkpoint, error) {
	c, err := s.load(s.Dir(generation))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("models: load checkpoint %d: %w", generation, err)
	}
	return c, nil
}

func (s *Store) load(dir string) (Checkpoint, error) {
	info, err := readInfo(dir)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{Generation: info.Generation, Figures: info.Figures}
	if c.Weights, err = loadWeights(dir, info, s.spec); err != nil {
		return Checkpoint{}, err
	}
	data, err := readChecked(dir, solverFile, info)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Solver, _, err = net.ReadTensors(data); err != nil {
		return Checkpoint{}, fmt.Errorf("%s: %w", filepath.Join(dir, solverFile), err)
	}
	if data, err = readChecked(dir, stateFile, info); err != nil {
		return Checkpoint{}, err
	}
	c.State = bytes.TrimSpace(data)
	return c, nil
}

// Keep says which checkpoints stay: the last ones, and one in so many.
type Keep struct {
	Last  int `yaml:"last"`  // the newest so many; at least 1
	Every int `yaml:"every"` // generations divisible by this, 0 among them; 0 for none but the last
}

// Forever reports whether a generation stays however old it is.
func (k Keep) Forever(generation int) bool { return k.Every > 0 && generation%k.Every == 0 }

// Validate reports every field that is out of range.
func (k Keep) Validate() error {
	var faults []error
	if k.Last < 1 {
		faults = append(faults, fmt.Errorf("last is %d; want at least 1", k.Last))
	}
	if k.Every < 0 {
		faults = append(faults, fmt.Errorf("every is %d; want 0 for none, or more", k.Every))
	}
	return errors.Join(faults...)
}

// Thin removes the checkpoints that keep does not name, and what a killed
// process has left unfinished.
func (s *Store) Thin(keep Keep) error {
	generations, err := s.List()
	if err != nil {
		return err
	}
	old := generations[:max(0, len(generations)-keep.Last)]
	for _, g := range old {
		if keep.Forever(g) {
			continue
		}
		// Out of sight first: a checkpoint half removed must not look like a
		// damaged one.
		gone := s.Dir(g) + unfinished
		if err := os.Rename(s.Dir(g), gone); err != nil {
			return fmt.Errorf("models: remove checkpoint %d: %w", g, err)
		}
	}
	rubbish, err := filepath.Glob(filepath.Join(s.dir, "*"+unfinished))
	if err != nil {
		return fmt.Errorf("models: thin checkpoints: %w", err)
	}
	for _, path := range rubbish {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("models: thin checkpoints: %w", err)
		}
	}
	return nil
}
