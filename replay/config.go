package replay

import (
	"tiro/internal/faults"
	"tiro/internal/portable"
)

// Config sets the size of the window and the reuse of samples. After N samples, the window
// contains the last c·(1 + β·((N/c)^α - 1)/α) of them; up to N = c it contains all (Wu
// 2019, "Accelerating self-play learning in Go", appendix C).
type Config struct {
	Window      int     `yaml:"window"`       // c, samples
	Alpha       float64 `yaml:"alpha"`        // α: above 0, at most 1; with 1 the window grows in proportion to N
	Beta        float64 `yaml:"beta"`         // β: growth of the window per sample at N = c, 0 to 1
	SampleReuse float64 `yaml:"sample_reuse"` // average number of times that a sample is drawn
}

// Default returns settings for a game of a few dozen plies.
func Default() Config {
	return Config{Window: 100_000, Alpha: 0.75, Beta: 0.4, SampleReuse: 4}
}

// Validate returns an error that lists all fields out of range.
func (c Config) Validate() error {
	var f faults.List
	f.Check(c.Window >= 1, "window", c.Window, "1 or more")
	f.Check(c.Alpha > 0 && c.Alpha <= 1, "alpha", c.Alpha, "above 0, at most 1")
	faults.Within(&f, "beta", c.Beta, 0, 1)
	f.Check(c.SampleReuse > 0 && c.SampleReuse <= 1000, "sample_reuse", c.SampleReuse, "above 0, at most 1000")
	return f.Err()
}

// Size returns the number of samples in the window after total samples. Its slope is at
// most 1, so that evicted samples never return to the window.
func (c Config) Size(total int) int {
	n, window := float64(total), float64(c.Window)
	if n <= window {
		return c.Window
	}
	return int(window * (1 + c.Beta*(portable.Pow(n/window, c.Alpha)-1)/c.Alpha))
}
