package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"tiro/disk"
	"tiro/format"
)

// MaxMetrics is the largest size of metrics.jsonl in bytes, enough for 170,000 generations.
// Readers hold the whole file in memory.
const MaxMetrics = 256 << 20

// sumKey begins the checksum in a line of metrics. It cannot occur within a JSON string, where
// quotation marks are escaped.
const sumKey = `,"sum":"`

// Sign sets m.Sum to the checksum of the text before it.
func (m *Metrics) Sign() error {
	signed := *m
	signed.Sum, signed.Machine = "", nil
	text, err := json.Marshal(signed)
	if err != nil {
		return err
	}
	m.Sum = Checksum(bytes.TrimSuffix(text, []byte("}")))
	return nil
}

// parseMetrics parses a line of metrics, without surrounding spaces, and verifies its checksum.
func parseMetrics(line []byte) (m Metrics, err error) {
	if err := format.CheckJSON(line, MetricsHeader); err != nil {
		return m, err
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, err
	}
	at := bytes.LastIndex(line, []byte(sumKey))
	if want := Checksum(line[:max(0, at)]); m.Sum != want {
		return m, fmt.Errorf("the checksum of the line is %s, not %.20q", want, m.Sum)
	}
	return m, nil
}

// Equal compares all fields that do not depend on the machine.
func (m Metrics) Equal(other Metrics) bool {
	m.Machine, other.Machine = nil, nil
	return reflect.DeepEqual(m, other)
}

// MetricsLine is a complete line of metrics.jsonl.
type MetricsLine struct {
	Metrics
	Text []byte // including its end
	Err  error  // the fault of the line
}

// MetricsLines returns the complete lines of metrics.jsonl, without a truncated last line. It is
// a fault if the generations of intact lines do not ascend.
func (f Folder) MetricsLines() (lines []MetricsLine, err error) {
	data, err := disk.ReadFile(f.fsys, f.Path(MetricsFile), MaxMetrics)
	newest := 0
	for text := range bytes.Lines(data) {
		content, complete := bytes.CutSuffix(text, []byte("\n"))
		if !complete {
			break
		}
		line := MetricsLine{Text: text}
		line.Metrics, line.Err = parseMetrics(content)
		if line.Err == nil && line.Generation <= newest {
			line.Err = fmt.Errorf("generation %d follows generation %d", line.Generation, newest)
		}
		if line.Err == nil {
			newest = line.Generation
		}
		lines = append(lines, line)
	}
	return lines, err
}

// Metrics returns the metrics of the run, oldest first. It returns none if there is no file.
func (f Folder) Metrics() ([]Metrics, error) {
	lines, err := f.MetricsLines()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("rundir: read metrics: %w", err)
	}
	var all []Metrics
	for i, line := range lines {
		if line.Err != nil {
			return nil, fmt.Errorf("rundir: read metrics: %s:%d: %w", f.Path(MetricsFile), i+1, line.Err)
		}
		all = append(all, line.Metrics)
	}
	return all, nil
}

// RecoverMetrics brings metrics.jsonl in line with the newest checkpoint, whose metrics are last
// (zero for checkpoint 0). It removes damaged lines and lines of later generations, and adds the
// newest line if it is missing or truncated by a kill. It returns the file's new content and the
// number of damaged lines.
//
// The file is always rewritten, because an earlier process may have failed to flush a line that
// can be read now. A file of another run is left unchanged.
func (l *Locked) RecoverMetrics(last Metrics) (h History, damaged int, err error) {
	path := l.Path(MetricsFile)
	lines, err := l.MetricsLines()
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
	case MayBeIntact(err):
		return nil, 0, err
	default:
		return nil, 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	h = History{}
	var kept []byte
	for _, line := range lines {
		switch g := line.Generation; {
		case format.OtherVersion(line.Err):
			return nil, 0, fmt.Errorf("%s: %w", path, line.Err)
		case line.Err != nil:
			damaged++
		case g == last.Generation && !line.Equal(last):
			return nil, 0, fmt.Errorf("%w: %s: generation %d differs from the checkpoint's: the file belongs to another run; move it elsewhere", ErrDamaged, path, g)
		case g <= last.Generation:
			kept = append(kept, line.Text...)
			h[g] = line.Metrics
		}
	}
	if _, ok := h[last.Generation]; !ok && last.Generation > 0 {
		line, err := json.Marshal(last)
		if err != nil {
			return nil, 0, err
		}
		kept = append(append(kept, line...), '\n')
		h[last.Generation] = last
	}
	return h, damaged, l.WriteBytes(path, kept)
}

// CheckNew returns an error if metrics.jsonl has lines although there is no checkpoint. The
// checkpoints were probably moved, and a new run would overwrite the other files.
func (l *Locked) CheckNew() error {
	path := l.Path(MetricsFile)
	info, err := l.fsys.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Size() > 0:
		return fmt.Errorf("%s lists generations, but there is no checkpoint: restore %s or choose another run folder", path, l.Path(CheckpointsDir))
	}
	return err
}

// AppendMetrics adds a line to metrics.jsonl.
func (l *Locked) AppendMetrics(m Metrics) (err error) {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	file, err := l.fsys.Append(l.Path(MetricsFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	return file.Sync()
}
