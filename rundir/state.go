package rundir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"tiro/format"
	"tiro/internal/faults"
	"tiro/models"
)

// MaxBatch bounds the batch size, since each sample of a batch needs memory for all activations.
const MaxBatch = 1 << 16

// State is everything that a run needs to resume besides weights, optimizer state and games. It
// is the file state.json of a checkpoint.
type State struct {
	Generation     int     `json:"generation"`      // number of complete generations
	Samples        int     `json:"samples"`         // samples played since the run began
	EvictedSamples int     `json:"evicted_samples"` // samples that have left the replay buffer
	Steps          int     `json:"steps"`           // steps since the run began
	PendingSamples float64 `json:"pending_samples"` // samples still to be drawn, less than a batch
	Backend        string  `json:"backend"`         // kind of the backend that computed the newest generation: "fma", "go", or the device and its driver; each changes the last bits of results
}

// ReadCheckpoint returns the state of the run in a checkpoint and the metrics of its generation,
// which must agree. Generation 0 has no metrics.
func ReadCheckpoint(c models.Checkpoint) (s State, m Metrics, err error) {
	if s, err = readState(c); err != nil {
		return s, m, fmt.Errorf("checkpoint %d: %s: %w", c.Generation, models.StateFile, err)
	}
	if c.Generation == 0 && c.Metrics == nil {
		return s, m, nil
	}
	var line bytes.Buffer
	if err = json.Compact(&line, c.Metrics); err == nil {
		m, err = parseMetrics(line.Bytes())
	}
	switch {
	case err != nil:
	case m.Generation != c.Generation:
		err = fmt.Errorf("they belong to generation %d", m.Generation)
	case s.Samples != m.TotalSamples || s.EvictedSamples != m.TotalSamples-m.Window || s.Steps != m.TotalSteps:
		err = fmt.Errorf("%d samples, %d of them in the window, and %d steps, but %s has %d, %d and %d",
			m.TotalSamples, m.Window, m.TotalSteps, models.StateFile, s.Samples, s.Samples-s.EvictedSamples, s.Steps)
	}
	if err != nil {
		return s, m, fmt.Errorf("checkpoint %d: %s: metrics: %w", c.Generation, models.InfoFile, err)
	}
	return s, m, nil
}

func readState(c models.Checkpoint) (s State, err error) {
	if err = format.DecodeStrict(c.State, &s); err == nil {
		err = s.validate(c.Generation)
	}
	return s, err
}

// validate reports every field with a value that a run cannot have after the given generation.
func (s *State) validate(generation int) error {
	var f faults.List
	check := f.Check
	check(s.Generation == generation, "generation", s.Generation, strconv.Itoa(generation))
	check(s.Samples >= 0, "samples", s.Samples, "0 or more")
	check(s.EvictedSamples >= 0 && s.EvictedSamples <= s.Samples, "evicted_samples", s.EvictedSamples, "0 to samples")
	check(s.Steps >= 0, "steps", s.Steps, "0 or more")
	check(s.PendingSamples >= 0 && s.PendingSamples < MaxBatch, "pending_samples", s.PendingSamples, "less than a batch, at least 0")
	return f.Err()
}
