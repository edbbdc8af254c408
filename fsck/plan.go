package fsck

import (
	"path"
	"path/filepath"
	"slices"

	"tiro/models"
	"tiro/rundir"
)

// Plan says how the next train.Run would recover a run, once what is damaged is
// moved away.
type Plan struct {
	Checkpoint int `json:"checkpoint"` // that the run goes on from; -1: none is intact
	Newest     int `json:"newest"`     // last generation of which there is a trace; -1: none

	// Replayed are the generations whose games are gone but can be played again
	// exactly; Lost are those whose games are gone for good.
	Replayed []int `json:"replayed"`
	Lost     []int `json:"lost"`

	// ExactCheckpoint is the newest checkpoint from which nothing is lost, so that
	// the run would end like an undamaged one, byte by byte; -1: none.
	ExactCheckpoint int    `json:"exact_checkpoint"`
	Backend         string `json:"backend"` // that computed Checkpoint
}

// makePlan adds the plan to the report, and the files that are missing for it.
func (c *checker) makePlan() {
	listed := c.newest(false)
	p := &Plan{Checkpoint: c.newest(true), Newest: max(listed, c.metrics.newest), Replayed: []int{}, Lost: []int{}, ExactCheckpoint: -1}
	c.report.Plan = p
	if c.metrics.newest > listed {
		c.missing(path.Join(rundir.CheckpointsDir, models.FormatGeneration(c.metrics.newest)), rundir.MetricsFile+" has its line")
	}
	if p.Checkpoint < 0 {
		return
	}
	p.Backend = c.checkpoints[p.Checkpoint].backend
	p.Replayed, p.Lost = c.window(p.Checkpoint)
	// The games of older windows may have been removed because nothing needed them
	// any more.
	if p.Checkpoint == p.Newest || c.config != nil && p.Checkpoint > p.Newest-c.config.Checkpoints.Last {
		for _, g := range slices.Sorted(slices.Values(slices.Concat(p.Replayed, p.Lost))) {
			if c.games[g] == nil {
				c.missing(path.Join(rundir.EpisodesDir, filepath.Base(c.folder.Generation(g).Episodes())), "these games belong to the replay window")
			}
		}
	}
	for g := p.Checkpoint; g >= 0 && p.ExactCheckpoint < 0; g-- {
		if found := c.checkpoints[g]; found != nil && found.ok {
			if _, lost := c.window(g); len(lost) == 0 {
				p.ExactCheckpoint = g
			}
		}
	}
}

// window returns the generations in the window of a checkpoint whose games cannot
// be read: those that can be played again, because the checkpoint that played them
// is there and metrics.jsonl says what must come out, and those that are lost.
func (c *checker) window(checkpoint int) (replayed, lost []int) {
	replayed, lost = []int{}, []int{}
	samples := 0
	for g := checkpoint; g > 0 && samples < c.checkpoints[checkpoint].metrics.Window; g-- {
		if found := c.games[g]; found != nil && found.ok {
			samples += found.samples
			continue
		}
		line, known := c.metrics.lines[g]
		samples += line.Samples
		if before := c.checkpoints[line.PlayedBy(g)]; known && before != nil && before.ok {
			replayed = append(replayed, g)
		} else {
			lost = append(lost, g)
		}
	}
	slices.Reverse(replayed)
	slices.Reverse(lost)
	return replayed, lost
}
