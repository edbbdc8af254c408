package cli

import (
	"time"

	"tiro/disk"
	"tiro/rundir"
	"tiro/train/telemetry"
)

// monitor keeps the event file for TensorBoard, if one is wanted. After the first fault,
// which is a warning, it does nothing.
type monitor struct {
	folder string // empty: no event file
	warn   func(text string, attrs ...any)
	board  *telemetry.TensorBoard
}

// open opens the event file of a run with the generations that it has.
func (s *monitor) open(history []rundir.Metrics) {
	if s.folder != "" {
		var err error
		s.board, err = telemetry.Open(disk.OS{}, s.folder, time.Now, history)
		s.check(err)
	}
}

// check reports a fault.
func (s *monitor) check(err error) {
	if err != nil {
		s.warn("no metrics for TensorBoard; the run goes on", "reason", err)
		s.board = nil
	}
}

// add adds a generation.
func (s *monitor) add(m *rundir.Metrics) {
	if s.board != nil {
		s.check(s.board.Add(m))
	}
}

// close closes the event file.
func (s *monitor) close() {
	if s.board != nil {
		s.check(s.board.Close())
	}
}
