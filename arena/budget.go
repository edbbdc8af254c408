package arena

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Budget is what a player with a network spends on an action at most. One field is
// set.
type Budget struct {
	Simulations int
	MACs        int64         // multiply-adds of the network, which buy as many simulations as evaluations
	Time        time.Duration // wall time
	CPU         time.Duration // CPU time of the thread that searches
}

// timed reports whether the budget is one of a clock, by which a player does not
// play the same again.
func (b Budget) timed() bool { return b.Time > 0 || b.CPU > 0 }

// Bounds of a Budget.
const (
	MinTime = time.Millisecond
	MaxTime = 24 * time.Hour
	maxMACs = 1 << 60
)

// IsBudget reports whether a setting of a player, such as sims=64, sets its Budget.
func IsBudget(text string) bool {
	key, _, _ := strings.Cut(text, "=")
	return isSimulations(key) || slices.Contains([]string{"macs", "time", "cpu"}, key)
}

// isSimulations reports whether a key sets the Simulations of a Budget.
func isSimulations(key string) bool {
	return slices.Contains([]string{"sims", "simulations", "nodes"}, key)
}

// parseBudget reads "sims=N" (or "simulations=N", "nodes=N"), "macs=N", "time=DURATION" or
// "cpu=DURATION".
func parseBudget(text string) (b Budget, err error) {
	switch key, value, _ := strings.Cut(text, "="); key {
	case "time":
		b.Time, err = parseTime(text)
	case "cpu":
		b.CPU, err = parseTime(text)
	case "macs":
		b.MACs, err = parseCount(value)
	default:
		if b.Simulations, err = strconv.Atoi(value); err != nil || b.Simulations < 1 || b.Simulations > MaxSimulations {
			err = fmt.Errorf("%q is not %s=N with N from 1 to %d", text, key, MaxSimulations)
		}
	}
	return b, err
}

// parseTime reads the duration of a Budget that is set by KEY=DURATION.
func parseTime(text string) (time.Duration, error) {
	key, value, _ := strings.Cut(text, "=")
	d, err := time.ParseDuration(value)
	if err != nil || d < MinTime || d > MaxTime {
		return 0, fmt.Errorf("%s %q is not a duration from %s to %s, such as 100ms or 2s", key, value, MinTime, MaxTime)
	}
	return d, nil
}

// units are the suffixes of large counts.
var units = []struct {
	suffix string
	size   float64
}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"", 1}}

// parseCount reads a number of multiply-adds, such as 250M or 1.5G.
func parseCount(text string) (int64, error) {
	size := 1.0
	number := text
	for _, unit := range units[:len(units)-1] {
		if rest, found := strings.CutSuffix(strings.ToUpper(text), unit.suffix); found {
			number, size = rest, unit.size
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	n := math.Round(x * size)
	if err != nil || !(n >= 1) || n > maxMACs {
		return 0, fmt.Errorf("macs %q is not a number of multiply-adds, such as 250M or 1.5G", text)
	}
	return int64(n), nil
}

// formatCount writes n as parseCount reads it.
func formatCount(n int64) string {
	for _, unit := range units {
		if text := strconv.FormatFloat(float64(n)/unit.size, 'f', -1, 64) + unit.suffix; float64(n) >= unit.size {
			if back, err := parseCount(text); err == nil && back == n {
				return text
			}
		}
	}
	return strconv.FormatInt(n, 10)
}

// String returns the budget as a setting of a player.
func (b Budget) String() string {
	switch {
	case b.Time > 0:
		return "time=" + b.Time.String()
	case b.CPU > 0:
		return "cpu=" + b.CPU.String()
	case b.MACs > 0:
		return "macs=" + formatCount(b.MACs)
	}
	return "sims=" + strconv.Itoa(b.Simulations)
}

// simulations returns how many simulations the budget buys at most with a network
// of which an evaluation takes so many multiply-adds, 0 if that is not known.
func (b Budget) simulations(macs int64) (int, error) {
	switch {
	case b.MACs == 0:
		return cmp.Or(b.Simulations, MaxSimulations), nil
	case macs == 0:
		return 0, errors.New("the multiply-adds of the network are not known")
	case b.MACs < macs:
		return 0, fmt.Errorf("%s is less than an evaluation of the network takes, %s", b, formatCount(macs))
	}
	return int(min(b.MACs/macs, MaxSimulations)), nil
}
