package replay

import (
	"tiro/internal/faults"
	"tiro/internal/portable"
)

// Config sets how many samples are learned from, and how often. Once N samples
// were played, the last c·(1 + β·((N/c)^α - 1)/α) of them are in the window; at
// first it holds all of them (Wu 2019, "Accelerating self-play learning in Go",
// appendix C).
type Config struct {
	Window      int     `yaml:"window"`       // c, samples
	Alpha       float64 `yaml:"alpha"`        // α: above 0, at most 1; 1: the window grows in proportion to N
	Beta        float64 `yaml:"beta"`         // β: growth of the window by sample at N = c, 0 to 1
	SampleReuse float64 `yaml:"sample_reuse"` // how often a sample is drawn, on average
}

// Default returns settings for a game of some dozens of plies.
func Default() Config {
	return Config{Window: 100_000, Alpha: 0.75, Beta: 0.4, SampleReuse: 4}
}

// Validate reports every field that is out of range.
func (c Config) Validate() error {
	var f faults.List
	f.Check(c.Window >= 1, "window", c.Window, "1 or more")
	f.Check(c.Alpha > 0 && c.Alpha <= 1, "alpha", c.Alpha, "above 0, at most 1")
	faults.Within(&f, "beta", c.Beta, 0, 1)
	f.Check(c.SampleReuse > 0 && c.SampleReuse <= 1000, "sample_reuse", c.SampleReuse, "above 0, at most 1000")
	return f.Err()
}

// Size returns how many samples are in the window once total were played. Its
// slope is at most 1, so that a sample that has left the window never comes back.
func (c Config) Size(total int) int {
	n, window := float64(total), float64(c.Window)
	if n <= window {
		return c.Window
	}
	return int(window * (1 + c.Beta*(portable.Pow(n/window, c.Alpha)-1)/c.Alpha))
}
