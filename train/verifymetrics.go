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
	faults map[int]error    // by line
	err    error            // it could not be read
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
	t.lines, t.faults = map[int]toldLine{}, map[int]error{}
	data, err := disk.ReadFile(v.Disk, v.path(metricsFile), maxMetrics)
	if t.err = err; err != nil {
		return
	}
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
		case twice:
			err = fmt.Errorf("generation %d is in line %d already", m.Generation, before.number)
		case m.Generation <= t.newest:
			err = fmt.Errorf("generation %d comes after %d", m.Generation, t.newest)
		}
		if err != nil {
			t.fault(t.count, err)
			continue
		}
		t.lines[m.Generation] = toldLine{m, t.count, line}
		t.newest = m.Generation
	}
}

func (t *toldMetrics) fault(line int, err error) {
	t.faults[line] = fmt.Errorf("line %d: %w", line, err)
}

// sorted returns the faults in the order of the lines.
func (t *toldMetrics) sorted() (all []error) {
	for _, line := range slices.Sorted(maps.Keys(t.faults)) {
		all = append(all, t.faults[line])
	}
	return all
}

// verifyMetrics compares metrics.jsonl with itself and with the checkpoints,
// and reports on it.
func (v *verifier) verifyMetrics() {
	t, newest := &v.told, v.newest()
	switch {
	case errors.Is(t.err, fs.ErrNotExist) && newest <= 0:
		return // none was written yet
	case t.err != nil:
		v.fault(&v.report, metricsFile, t.err)
		return
	}
	v.compareFigures()
	gone := v.gaps(newest)
	switch {
	case len(t.faults) > 0:
		v.fault(&v.report, metricsFile, errors.Join(t.sorted()...))
	case len(gone) > 0 && v.aside[metricsFile] == "":
		v.report.add(metricsFile, Damaged, "the lines of generations %s are missing", Ranges(gone))
	case len(gone) > 0:
		v.miss(metricsFile, "the lines of generations %s", Ranges(gone))
	case t.torn:
		v.report.add(metricsFile, Torn, "%d generations; the line after those was cut off and is written again", len(t.lines))
	default:
		v.report.add(metricsFile, Whole, "%d generations", len(t.lines))
	}
}

// compareFigures finds lines that are not those of this run, from the newest to
// the first: ones that differ from the figures in a checkpoint, that do not lead
// to the line that follows, or that lead to one that is not of this run.
func (v *verifier) compareFigures() {
	t := &v.told
	var after, strange *Metrics // the next generation, if known; the next line, if not of this run
	for g := t.newest; g > 0; g-- {
		line, told := t.lines[g]
		c := v.found[g]
		known := c != nil && c.whole
		var err error
		switch {
		case !told:
		case known && !sameFigures(line.Metrics, c.figures):
			err = fmt.Errorf("not the figures in checkpoint %d", g)
		case !known && after != nil && !line.leadsTo(after):
			err = fmt.Errorf("%d rows and %d steps in all do not lead to those of generation %d", line.TotalSamples, line.TotalSteps, g+1)
		case !known && after == nil && strange != nil && line.leadsTo(strange):
			err = errors.New("it leads to the next line, which is not of this run")
		}
		after, strange = nil, nil
		if err != nil {
			t.fault(line.number, err)
			delete(t.lines, g)
			strange = &line.Metrics
		}
		switch {
		case known:
			after = &c.figures
		case told && err == nil:
			after = &line.Metrics
		}
	}
}

// leadsTo reports whether the totals of a generation and the next one fit.
func (m *Metrics) leadsTo(next *Metrics) bool {
	return m.TotalSamples == next.TotalSamples-next.Samples && m.TotalSteps == next.TotalSteps-next.Steps
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
