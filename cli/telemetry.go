package cli

import (
	"time"

	"tiro/disk"
	"tiro/rundir"
	"tiro/train/telemetry"
)

// monitors are what a training shows to other tools, as far as it was asked for. One
// that fails is reported once, and left out from then on.
type monitors struct {
	tensorBoard string // folder; empty: none
	prometheus  string // address; empty: none
	run         telemetry.Run
	info, warn  func(text string, attrs ...any)

	opened []opened
}

// opened is a monitor that works.
type opened struct {
	name string
	monitored
}

// monitored is told of every generation.
type monitored interface {
	Add(m *rundir.Metrics) error
	Close() error
}

// open opens the monitors of a run with the generations that it has.
func (s *monitors) open(history []rundir.Metrics) {
	if s.tensorBoard != "" {
		const name = "TensorBoard"
		board, err := telemetry.OpenTensorBoard(disk.OS{}, s.tensorBoard, time.Now, history)
		if s.works("no metrics for "+name, err) {
			s.opened = append(s.opened, opened{name, board})
		}
	}
	if s.prometheus != "" {
		const name = "Prometheus"
		page, err := telemetry.ServePrometheus(s.prometheus, s.run)
		if s.works("no metrics for "+name, err) {
			s.info("metrics for Prometheus", "at", page.URL())
			if n := len(history); n > 0 {
				_ = page.Add(&history[n-1]) // never fails
			}
			s.opened = append(s.opened, opened{name, page})
		}
	}
}

// works reports whether err is nil, and warns of what is missing if it is not.
func (s *monitors) works(missing string, err error) bool {
	if err != nil {
		s.warn(missing+"; the run goes on", "reason", err)
	}
	return err == nil
}

// add tells the monitors of a generation.
func (s *monitors) add(m *rundir.Metrics) {
	working := s.opened[:0]
	for _, o := range s.opened {
		if s.works("no more metrics for "+o.name, o.Add(m)) {
			working = append(working, o)
		} else {
			_ = o.Close() // the fault that counts is reported
		}
	}
	s.opened = working
}

// close closes the monitors.
func (s *monitors) close() {
	for _, o := range s.opened {
		s.works("no more metrics for "+o.name, o.Close())
	}
	s.opened = nil
}
