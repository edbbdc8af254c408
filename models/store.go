package models

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/net"
)

// Files of a checkpoint.
const (
	InfoFile      = "info.json"
	WeightsFile   = "weights.safetensors"
	OptimizerFile = "optimizer.safetensors"
	StateFile     = "state.json"
)

// Files lists the files of a checkpoint.
var Files = [...]string{InfoFile, WeightsFile, OptimizerFile, StateFile}

// Checkpoint is the state of a run at the end of a generation.
type Checkpoint struct {
	Generation int
	Weights    *net.Weights
	Optimizer  []net.Tensor    // may be empty
	State      json.RawMessage // all other data that the owner needs to resume
	Metrics    json.RawMessage // for the user; may be nil
}

// FormatGeneration returns a generation with at least six digits, as in the names of files and
// folders.
func FormatGeneration(generation int) string { return fmt.Sprintf("%06d", generation) }

// ParseGeneration is the inverse of FormatGeneration. ok reports whether name is a result of
// FormatGeneration.
func ParseGeneration(name string) (generation int, ok bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0 && name == FormatGeneration(n)
}

// Store is the folder of a run's checkpoints, all of one game.
type Store struct {
	fsys disk.FS
	dir  string
	spec env.Spec
}

// NewStore returns the store in the folder dir, which Save makes if necessary.
func NewStore(fsys disk.FS, dir string, spec env.Spec) *Store { return &Store{fsys, dir, spec} }

// Dir returns the folder of a generation's checkpoint.
func (s *Store) Dir(generation int) string {
	return filepath.Join(s.dir, FormatGeneration(generation))
}

// Save writes the checkpoint of a generation that has none yet. If it returns nil, the checkpoint
// is durable. On error the store is unchanged, unless only flushing its folder has failed: then
// the complete checkpoint may be there.
func (s *Store) Save(c Checkpoint) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("models: save checkpoint %d: %w", c.Generation, err)
		}
	}()
	final := s.Dir(c.Generation)
	if _, err := s.fsys.Stat(final); err == nil {
		return fmt.Errorf("%s already exists", final)
	}
	temporary := final + disk.Unfinished
	if err := disk.RemoveAll(s.fsys, temporary); err != nil {
		return err
	}
	if err := disk.MkdirAll(s.fsys, temporary); err != nil {
		return err
	}
	return disk.Install(s.fsys, final, temporary, writeCheckpoint(s.fsys, temporary, c))
}

// writeCheckpoint writes the files of c into the folder dir and flushes them.
func writeCheckpoint(fsys disk.FS, dir string, c Checkpoint) error {
	info := newInfo(c)
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{WeightsFile, c.Weights.Write},
		{OptimizerFile, func(w io.Writer) error { return net.WriteTensors(w, c.Optimizer, nil) }},
		{StateFile, func(w io.Writer) error { return format.EncodeJSON(w, c.State) }},
		{InfoFile, func(w io.Writer) error { return format.EncodeJSON(w, info) }}, // last, because it describes the others
	}
	for _, f := range files {
		m := &measurer{hash: sha256.New()}
		err := disk.WriteSynced(fsys, filepath.Join(dir, f.name), func(w io.Writer) error {
			return f.write(io.MultiWriter(w, m))
		})
		if err != nil {
			return err
		}
		info.Files[f.name] = m.File()
	}
	return fsys.SyncDir(dir)
}

// List returns the generations that have a checkpoint in ascending order. A missing folder has
// none.
func (s *Store) List() ([]int, error) {
	entries, err := s.fsys.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("models: list checkpoints: %w", err)
	}
	var generations []int
	hidden := hiddenIn(entries)
	for _, e := range entries {
		if n, ok := ParseGeneration(e.Name()); ok && s.isFolder(e) && !slices.Contains(hidden, e.Name()) {
			generations = append(generations, n)
		}
	}
	slices.Sort(generations) // names of more than six digits are not sorted
	return generations, nil
}

// isFolder reports whether e is a folder, or a link to one on another disk.
func (s *Store) isFolder(e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := s.fsys.Stat(filepath.Join(s.dir, e.Name()))
	return err == nil && info.IsDir()
}

// Load reads the checkpoint of a generation as Read does.
func (s *Store) Load(generation int) (c Checkpoint, err error) {
	dir := s.Dir(generation)
	info, err := readInfo(s.fsys, dir)
	if err == nil {
		c, err = info.read(s.fsys, dir, s.spec)
	}
	if err != nil {
		return c, fmt.Errorf("models: load checkpoint %d: %w", generation, err)
	}
	return c, nil
}

// Bytes returns the size of a checkpoint's files in bytes.
func (s *Store) Bytes(generation int) (n int64, err error) {
	entries, err := s.fsys.ReadDir(s.Dir(generation))
	for _, e := range entries {
		stat, statErr := s.fsys.Stat(filepath.Join(s.Dir(generation), e.Name()))
		if err = statErr; err != nil {
			break
		}
		n += stat.Size()
	}
	if err != nil {
		return 0, fmt.Errorf("models: size of checkpoint %d: %w", generation, err)
	}
	return n, nil
}

// Remove removes the checkpoints of the given generations and unfinished files of a killed
// process. It renames checkpoints first, because a checkpoint that is removed in part must not
// look like a damaged one.
func (s *Store) Remove(generations []int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("models: remove checkpoints: %w", err)
		}
	}()
	if len(generations) > 0 {
		// The remaining checkpoints must be durable before others are removed: a killed process
		// may not have flushed the newest one.
		if err := s.fsys.SyncDir(s.dir); err != nil {
			return err
		}
		for _, g := range generations {
			if err := s.hide(g); err != nil {
				return err
			}
		}
		// The new names must be durable before the content is removed, for the same reason.
		if err := s.fsys.SyncDir(s.dir); err != nil {
			return err
		}
	}
	if err := s.removeHidden(); err != nil {
		return err
	}
	return disk.RemoveUnfinished(s.fsys, s.dir, func(name string) bool {
		_, ok := ParseGeneration(name)
		return ok
	})
}

// hide renames a checkpoint to an unfinished one, atomically. If an overlay file system refuses
// to rename the folder of a container's image, an empty file with the new name marks the folder
// as unfinished.
func (s *Store) hide(generation int) error {
	dir := s.Dir(generation)
	err := s.fsys.Rename(dir, dir+disk.Unfinished)
	if errors.Is(err, syscall.EXDEV) {
		err = disk.WriteSynced(s.fsys, dir+disk.Unfinished, disk.Bytes(nil))
	}
	return err
}

// hiddenIn returns the names of checkpoints that hide has marked without renaming them.
func hiddenIn(entries []fs.DirEntry) (hidden []string) {
	for _, e := range entries {
		marked := func(other fs.DirEntry) bool { return other.Name() == e.Name()+disk.Unfinished }
		if _, ok := ParseGeneration(e.Name()); ok && slices.ContainsFunc(entries, marked) {
			hidden = append(hidden, e.Name())
		}
	}
	return hidden
}

// removeHidden removes checkpoints that hide has marked without renaming them. The marks stay
// until the checkpoints are removed durably.
func (s *Store) removeHidden() error {
	entries, err := s.fsys.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	hidden := hiddenIn(entries)
	for _, name := range hidden {
		if err := disk.RemoveAll(s.fsys, filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	if len(hidden) == 0 {
		return nil
	}
	return s.fsys.SyncDir(s.dir)
}
