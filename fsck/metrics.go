package fsck

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"tiro/rundir"
)

// metricsFile is what a checker remembers of metrics.jsonl.
type metricsFile struct {
	lines  map[int]rundir.MetricsLine // by generation, those that are intact
	newest int                        // generation; -1: none
	cut    bool                       // the last line has no end
	err    error                      // what is wrong with the file or with lines
}

// readMetrics reads metrics.jsonl.
func (c *checker) readMetrics() {
	lines, cut, err := c.folder.MetricsLines()
	c.metrics = metricsFile{map[int]rundir.MetricsLine{}, -1, cut, err}
	f := &c.metrics
	for i, line := range lines {
		if line.Err != nil {
			f.err = errors.Join(f.err, fmt.Errorf("line %d: %w", i+1, line.Err))
			continue
		}
		f.lines[line.Generation], f.newest = line, line.Generation
	}
}

// checkMetrics compares metrics.jsonl with the checkpoints and reports on it. A
// file that contradicts a checkpoint is of another run, and none of it is used.
func (c *checker) checkMetrics() {
	f, newest := &c.metrics, c.newest(true)
	if errors.Is(f.err, fs.ErrNotExist) && newest <= 0 {
		return // nothing was written yet
	}
	for _, g := range slices.Sorted(maps.Keys(c.checkpoints)) {
		if l, ok := f.lines[g]; ok && c.checkpoints[g].ok && !l.Equal(c.checkpoints[g].metrics) {
			f.err = errors.Join(f.err, fmt.Errorf("generation %d is not that of checkpoint %d: the file is of another run", g, g))
			f.lines, f.newest = nil, -1
			break
		}
	}
	err := f.err
	missing := c.missingLines(newest)
	switch {
	case err == nil && len(missing) > 0 && c.exists(rundir.DamagedDir+"/"+rundir.MetricsFile):
		c.missing(rundir.MetricsFile, "the lines of generations "+rundir.Ranges(missing))
		return
	case err == nil && len(missing) > 0:
		err = fmt.Errorf("the lines of generations %s are missing", rundir.Ranges(missing))
	}
	p := c.result(rundir.MetricsFile, fmt.Sprintf("generations: %d", len(f.lines)), err)
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
