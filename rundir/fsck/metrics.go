package fsck

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"tiro/disk"
	"tiro/rundir"
)

// metricsFile is what a checker remembers of metrics.jsonl.
type metricsFile struct {
	data   []byte
	lines  map[int]line // by generation, those that are intact
	newest int          // generation
	cut    bool         // the last line has no end
	faults []error      // of single lines
	err    error        // it could not be read
}

// line is a line of metrics.jsonl.
type line struct {
	rundir.Metrics
	text []byte
}

// readMetrics reads metrics.jsonl line by line.
func (c *checker) readMetrics() metricsFile {
	f := metricsFile{lines: map[int]line{}}
	f.data, f.err = disk.ReadFile(c.Disk, c.path(rundir.MetricsFile), rundir.MaxMetrics)
	number := 0
	for text := range bytes.Lines(f.data) {
		number++
		content, complete := bytes.CutSuffix(text, []byte("\n"))
		if !complete {
			f.cut = true
			break
		}
		m, err := rundir.ParseMetrics(content)
		if err == nil && m.Generation <= f.newest {
			err = fmt.Errorf("generation %d comes after %d", m.Generation, f.newest)
		}
		if err != nil {
			f.faults = append(f.faults, fmt.Errorf("line %d: %w", number, err))
			continue
		}
		f.lines[m.Generation] = line{m, text}
		f.newest = m.Generation
	}
	return f
}

// checkMetrics compares metrics.jsonl with the checkpoints and reports on it. A
// file that contradicts a checkpoint is of another run, and none of it is used.
func (c *checker) checkMetrics() {
	f, newest := &c.metrics, c.newest()
	if errors.Is(f.err, fs.ErrNotExist) && newest <= 0 {
		return // nothing was written yet
	}
	for _, g := range slices.Sorted(maps.Keys(c.checkpoints)) {
		if l, ok := f.lines[g]; ok && c.checkpoints[g].ok && !l.Equal(c.checkpoints[g].metrics) {
			f.faults = append(f.faults, fmt.Errorf("generation %d is not that of checkpoint %d: the file is of another run", g, g))
			f.lines, f.newest = map[int]line{}, 0
			break
		}
	}
	err := errors.Join(append(f.faults, f.err)...)
	missing := c.missingLines(newest)
	switch {
	case err == nil && len(missing) > 0 && c.exists(rundir.DamagedDir+"/"+rundir.MetricsFile):
		c.missing(rundir.MetricsFile, "the lines of generations "+rundir.Ranges(missing))
		return
	case err == nil && len(missing) > 0:
		err = fmt.Errorf("the lines of generations %s are missing", rundir.Ranges(missing))
	}
	p := c.result(rundir.MetricsFile, fmt.Sprintf("%d generations", len(f.lines)), err)
	if err == nil && f.cut {
		p.Status = Incomplete
		p.Detail += "; the line after them was cut off and is written again"
	}
	c.add(p)
}

// missingLines returns the generations up to newest without a line. The line of
// the last one is written after its checkpoint, and the run makes up for it; while
// a process trains, more lines may have come since the file was read.
func (c *checker) missingLines(newest int) (missing []int) {
	until := c.metrics.newest
	if !c.report.Training {
		until = max(until, newest)
	}
	for g := 1; g < until; g++ {
		if _, ok := c.metrics.lines[g]; !ok {
			missing = append(missing, g)
		}
	}
	return missing
}
