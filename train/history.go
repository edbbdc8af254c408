package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"tiro/disk"
	"tiro/format"
)

// maxMetrics bounds metrics.jsonl, in bytes: forty thousand generations. Readers
// hold all of it in memory.
const maxMetrics = 64 << 20

// ReadMetrics returns what the run in the folder dir says of its generations,
// oldest first; none if it has none. A last line without an end was cut short
// and is left out.
func ReadMetrics(dir string) ([]Metrics, error) {
	path := filepath.Join(dir, metricsFile)
	data, err := disk.ReadFile(disk.OS{}, path, maxMetrics)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("train: read metrics: %w", err)
	}
	var all []Metrics
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		m, err := readMetrics(bytes.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("train: read metrics: %s:%d: %w", path, len(all)+1, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// mendMetrics brings metrics.jsonl to where the newest checkpoint is, whose line
// is last, and returns what it tells then: later lines go, and a missing last
// one is added, since a kill may have come between checkpoint and line, or into
// the line. Lines that are damaged go too; it returns how many these were. The
// file is written anew in any case: an earlier process may have failed to flush
// what can be read now. One of another run stays as it is.
func (f *folder) mendMetrics(last Metrics) (told history, damaged int, err error) {
	path := f.path(metricsFile)
	data, err := disk.ReadFile(f.fsys, path, maxMetrics)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
	case mayBeWhole(err):
		return nil, 0, err
	default:
		return nil, 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	told = history{}
	var kept []byte
	reached := 0
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // its writing was cut short
		}
		m, err := readMetrics(bytes.TrimSpace(line))
		switch {
		case format.OtherVersion(err):
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		case err != nil:
			damaged++
		case m.Generation == last.Generation && !sameFigures(m, last):
			return nil, 0, fmt.Errorf("%w: %s: generation %d is not the one of the checkpoint: the file is of another run; move it elsewhere", ErrDamaged, path, m.Generation)
		case m.Generation > reached && m.Generation <= last.Generation:
			kept = append(kept, line...)
			reached = m.Generation
			told[reached] = m
		}
	}
	if reached < last.Generation {
		line, err := json.Marshal(last)
		if err != nil {
			return nil, 0, err
		}
		kept = append(append(kept, line...), '\n')
		told[last.Generation] = last
	}
	return told, damaged, f.write(path, func(w io.Writer) error {
		_, err := w.Write(kept)
		return err
	})
}

// refuseLoss returns an error if metrics.jsonl tells of generations. It is asked
// where no checkpoint is there: they were taken away, and to begin anew would
// take the rest.
func (f *folder) refuseLoss() error {
	path := f.path(metricsFile)
	info, err := f.fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Size() > 0:
		return fmt.Errorf("%s tells of generations, but there is no checkpoint; bring %s back, or begin in another run folder", path, f.path(checkpointsDir))
	}
	return err
}

// appendMetrics adds a line to metrics.jsonl.
func (f *folder) appendMetrics(m Metrics) (err error) {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := f.held(); err != nil {
		return err
	}
	file, err := f.fsys.Append(f.path(metricsFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	return file.Sync()
}
