package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/net"
)

// Files of a checkpoint.
const (
	weightsFile   = "weights.safetensors"
	optimizerFile = "optimizer.safetensors"
	stateFile     = "state.json"
	infoFile      = "info.json"
)

// Checkpoint is a run at the end of a generation.
type Checkpoint struct {
	Generation int
	Weights    *net.Weights
	Optimizer  []net.Tensor    // may be empty
	State      json.RawMessage // whatever else the owner needs to go on
	Figures    json.RawMessage // for people; may be nil
}

// Store is the checkpoints folder of a run for one game.
type Store struct {
	fsys disk.FS
	dir  string
	spec env.Spec
}

// NewStore returns the store in the folder dir of a file system, which Save
// makes if need be.
func NewStore(fsys disk.FS, dir string, spec env.Spec) *Store { return &Store{fsys, dir, spec} }

// Dir returns the folder of a generation's checkpoint.
func (s *Store) Dir(generation int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%06d", generation))
}

// Save writes a checkpoint, which must be of a generation that is not there
// yet. When it returns nil, the checkpoint outlasts a crash of the machine. On
// error the store is as it was, unless it was the flushing of its folder that
// failed: then the checkpoint may be there, and whole.
func (s *Store) Save(c Checkpoint) error {
	if err := s.save(c); err != nil {
		return fmt.Errorf("models: save checkpoint %d: %w", c.Generation, err)
	}
	return nil
}

func (s *Store) save(c Checkpoint) error {
	final := s.Dir(c.Generation)
	if _, err := s.fsys.Stat(final); err == nil {
		return fmt.Errorf("%s is there already", final)
	}
	beside := final + disk.Unfinished
	if err := disk.RemoveAll(s.fsys, beside); err != nil {
		return err
	}
	if err := disk.MkdirAll(s.fsys, beside); err != nil {
		return err
	}
	if err := writeCheckpoint(s.fsys, beside, c); err != nil {
		return errors.Join(err, disk.RemoveAll(s.fsys, beside))
	}
	if err := s.fsys.Rename(beside, final); err != nil {
		return errors.Join(err, disk.RemoveAll(s.fsys, beside))
	}
	return s.fsys.SyncDir(s.dir)
}

// writeCheckpoint writes the files of c into the folder dir and flushes them.
func writeCheckpoint(fsys disk.FS, dir string, c Checkpoint) error {
	info := newInfo(c)
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{weightsFile, c.Weights.Write},
		{optimizerFile, func(w io.Writer) error { return writeOptimizer(w, c.Optimizer) }},
		{stateFile, func(w io.Writer) error { return writeJSON(w, c.State) }},
		// Last, because it tells of the others.
		{infoFile, func(w io.Writer) error { return writeJSON(w, info) }},
	}
	for _, f := range files {
		sum := newSummer()
		err := disk.WriteSynced(fsys, filepath.Join(dir, f.name), func(w io.Writer) error {
			return f.write(io.MultiWriter(w, sum))
		})
		if err != nil {
			return err
		}
		info.Files[f.name] = sum.File()
	}
	return fsys.SyncDir(dir)
}

func writeOptimizer(w io.Writer, optimizer []net.Tensor) error {
	metadata := map[string]string{}
	optimizerHeader.Put(metadata)
	return net.WriteTensors(w, optimizer, metadata)
}

func readOptimizer(data []byte) ([]net.Tensor, error) {
	optimizer, metadata, err := net.ReadTensors(data)
	if err == nil {
		err = format.FromMetadata(metadata).Check(optimizerHeader)
	}
	return optimizer, err
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// List returns the generations of which there is a checkpoint, ascending. A
// store without its folder has none.
func (s *Store) List() ([]int, error) {
	generations, err := list(s.fsys, s.dir)
	if err != nil {
		return nil, fmt.Errorf("models: list checkpoints: %w", err)
	}
	return generations, nil
}

func list(fsys disk.FS, dir string) ([]int, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
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
	c, err := s.load(generation)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("models: load checkpoint %d: %w", generation, err)
	}
	return c, nil
}

func (s *Store) load(generation int) (Checkpoint, error) {
	dir := s.Dir(generation)
	info, err := readInfo(s.fsys, dir)
	if err != nil {
		return Checkpoint{}, err
	}
	if info.Generation != generation {
		return Checkpoint{}, fmt.Errorf("%s: it holds checkpoint %d and was renamed; want its name to be %s", dir, info.Generation, filepath.Base(s.Dir(info.Generation)))
	}
	c := Checkpoint{Generation: info.Generation, Figures: info.Figures}
	if c.Weights, err = loadWeights(s.fsys, dir, info, s.spec); err != nil {
		return Checkpoint{}, err
	}
	data, err := readChecked(s.fsys, dir, optimizerFile, info)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Optimizer, err = readOptimizer(data); err != nil {
		return Checkpoint{}, fmt.Errorf("%s: %w", filepath.Join(dir, optimizerFile), err)
	}
	if data, err = readChecked(s.fsys, dir, stateFile, info); err != nil {
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

// Bytes returns how many bytes the files of a checkpoint have.
func (s *Store) Bytes(generation int) (n int64, err error) {
	entries, err := s.fsys.ReadDir(s.Dir(generation))
	for i := 0; i < len(entries) && err == nil; i++ {
		var stat fs.FileInfo
		if stat, err = s.fsys.Stat(filepath.Join(s.Dir(generation), entries[i].Name())); err == nil {
			n += stat.Size()
		}
	}
	if err != nil {
		return 0, fmt.Errorf("models: size of checkpoint %d: %w", generation, err)
	}
	return n, nil
}

// Remove removes the checkpoints of some generations, and what a killed process
// has left unfinished.
func (s *Store) Remove(generations []int) error {
	if err := s.hide(generations); err != nil {
		return err
	}
	if err := disk.RemoveUnfinished(s.fsys, s.dir); err != nil {
		return fmt.Errorf("models: remove checkpoints: %w", err)
	}
	return nil
}

// hide takes checkpoints out of sight, for good: one half removed must not look
// like a damaged one.
func (s *Store) hide(generations []int) error {
	if len(generations) == 0 {
		return nil
	}
	// What stays must last before the rest goes: a killed process may have left
	// the newest without.
	if err := s.fsys.SyncDir(s.dir); err != nil {
		return fmt.Errorf("models: remove checkpoints: %w", err)
	}
	for _, g := range generations {
		if err := s.fsys.Rename(s.Dir(g), s.Dir(g)+disk.Unfinished); err != nil {
			return fmt.Errorf("models: remove checkpoint %d: %w", g, err)
		}
	}
	// The new names must last before their content goes, for the same reason.
	if err := s.fsys.SyncDir(s.dir); err != nil {
		return fmt.Errorf("models: remove checkpoints: %w", err)
	}
	return nil
}
