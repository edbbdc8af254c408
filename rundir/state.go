package rundir

import (
	"fmt"
	"strconv"

	"tiro/format"
	"tiro/internal/faults"
	"tiro/models"
	"tiro/selfplay"
)

// MaxBatch bounds the samples of a step, each of which takes the memory of all
// activations.
const MaxBatch = 1 << 16

// State is what a run needs to go on besides weights, optimizer and games: the
// file state.json of a checkpoint.
type State struct {
	format.Header
	Generation     int     `json:"generation"`      // complete ones
	Samples        int     `json:"samples"`         // ever played
	EvictedSamples int     `json:"evicted_samples"` // of those, how many have left the window
	Steps          int     `json:"steps"`           // ever taken
	PendingSamples float64 `json:"pending_samples"` // samples still to be drawn, less than a batch
	Backend        string  `json:"backend"`         // that computed the newest generation

	Resign selfplay.Calibration `json:"resign"` // of the next generation, by the games in the window
}

// StateHeader is the header of state.json.
var StateHeader = format.Header{Format: 2, What: "tiro state"}

// ReadState returns the run's state in a checkpoint.
func ReadState(c models.Checkpoint) (s State, err error) {
	if err = format.DecodeJSON(c.State, StateHeader, &s); err == nil {
		err = s.validate(c.Generation)
	}
	if err != nil {
		return s, fmt.Errorf("checkpoint %d: its state: %w", c.Generation, err)
	}
	return s, nil
}

// validate reports every field that a run cannot have reached after so many
// generations.
func (s *State) validate(generation int) error {
	var f faults.List
	check := f.Check
	check(s.Generation == generation, "generation", s.Generation, strconv.Itoa(generation))
	check(s.Samples >= 0, "samples", s.Samples, "0 or more")
	check(s.EvictedSamples >= 0 && s.EvictedSamples <= s.Samples, "evicted_samples", s.EvictedSamples, "0 to samples")
	check(s.Steps >= 0, "steps", s.Steps, "0 or more")
	check(s.PendingSamples >= 0 && s.PendingSamples < MaxBatch, "pending_samples", s.PendingSamples, "0 to a batch")
	r := &s.Resign
	check(r.Threshold >= 0 && r.Threshold <= 1, "resign.threshold", r.Threshold, "0 to 1")
	check(0 <= r.FalsePositives && r.FalsePositives <= r.WouldResign && r.WouldResign <= r.CalibrationGames, "resign", *r, "false_positives at most would_resign, would_resign at most calibration_games")
	return f.Err()
}
