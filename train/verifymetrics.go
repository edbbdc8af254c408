package train

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"

	"tiro/disk"
)

// toldMetrics is what Verify keeps of metrics.jsonl.
type toldMetrics struct {
	lines  map[int]toldLine // by generation, those that are whole
	newest int              // the last generation told of
	count  int              // lines
	torn   bool             // the last line was cut off
	faults []error
	err    error // it could not be read
}

// toldLine is a line of metrics.jsonl.
type toldLine struct {
	Metrics
	number int // from 1
	text   []byte
}

// readMetricsFile reads metrics.jsonl line by line.
func (v *verifier) readMetricsFile() {
	t := &v.told
	t.lines = map[int]toldLine{}
	data, err := disk.ReadFile(v.Disk, v.path(metricsFile), maxMetrics)
	if t.err = err; err != nil {
		return
	}
	signed := false
	for line := range bytes.Lines(data) {
		t.count++
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			t.torn = true
			break
		}
		m, err := readMetrics(text)
		switch before, twice := t.lines[m.Generation]; {
		case err != nil:
		case signed && m.Sum == "":
			err = errors.New("it has no checksum")
		case twice:
			err = fmt.Errorf("generation %d is in line %d already", m.Generation, before.number)
		case m.Generation <= t.newest:
			err = fmt.Errorf("generation %d comes after %d", m.Generation, t.newest)
		}
		if err != nil {
			t.fault(t.count, err)
			continue
		}
		signed = m.Sum != ""
		t.lines[m.Generation] = toldLine{m, t.count, line}
		t.newest = m.Generation
	}
}

func (t *toldMetrics) fault(line int, err error) {
	t.faults = append(t.faults, fmt.Errorf("line %d: %w", line, err))
}

// verifyMetrics compares metrics.jsonl with itself and with the checkpoints,
// and reports on it.
func (v *verifier) verifyMetrics() {
	t, newest := &v.told, v.newest()
	switch {
	case errors.Is(t.err, fs.ErrNotExist) && newest <= 0:
		return // none was written yet
	case t.err != nil:
		f := v.report.fault(metricsFile, trimmed(t.err, v.path(metricsFile)))
		f.Aside = v.aside[metricsFile]
		return
	}
	v.compareFigures()
	gone := v.gaps(newest)
	switch {
	case len(t.faults) > 0:
		v.report.fault(metricsFile, errors.Join(t.faults...))
	case len(gone) > 0 && v.aside[metricsFile] == "":
		v.report.add(metricsFile, Damaged, "the lines of generations %s are missing", ranges(gone))
	case len(gone) > 0:
		v.miss(metricsFile, "the lines of generations %s", ranges(gone))
	case t.torn:
		v.report.add(metricsFile, Torn, "%d generations; the line after those was cut off and is written again", len(t.lines))
	default:
		v.report.add(metricsFile, Whole, "%d generations", len(t.lines))
	}
}

// compareFigures finds lines that do not follow from the one before, and those
// that differ from the figures in a checkpoint.
func (v *verifier) compareFigures() {
	t := &v.told
	for _, g := range slices.Sorted(maps.Keys(t.lines)) {
		line := t.lines[g]
		before, ok := t.lines[g-1]
		var err error
		if (ok || g == 1) && (line.TotalRows != before.TotalRows+line.Rows || line.TotalSteps != before.TotalSteps+line.Steps) {
			err = fmt.Errorf("%d rows and %d steps in all; by the line before they are %d and %d",
				line.TotalRows, line.TotalSteps, before.TotalRows+line.Rows, before.TotalSteps+line.Steps)
		}
		if c := v.found[g]; err == nil && c != nil && c.whole && !sameFigures(line.Metrics, c.figures) {
			err = fmt.Errorf("not the figures in checkpoint %d", g)
		}
		if err != nil {
			t.fault(line.number, err)
			delete(t.lines, g)
		}
	}
}

// sameFigures compares what does not depend on the machine.
func sameFigures(x, y Metrics) bool {
	x.Machine, y.Machine = nil, nil
	return reflect.DeepEqual(x, y)
}

// gaps returns the generations up to newest that no line tells of. The last one
// may come between checkpoint and line.
func (v *verifier) gaps(newest int) (gone []int) {
	for g := 1; g <= newest; g++ {
		_, ok := v.told.lines[g]
		if !ok && (g < newest || v.told.newest > newest) && !(v.report.Training && g > v.told.newest) {
			gone = append(gone, g)
		}
	}
	return gone
}

// ranges writes ascending numbers such as "1-3, 7".
func ranges(numbers []int) string {
	var text []byte
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i > 0 {
			text = append(text, ", "...)
		}
		text = fmt.Append(text, numbers[i])
		if j > i {
			text = fmt.Appendf(text, "-%d", numbers[j])
		}
		i = j + 1
	}
	return string(text)
}
