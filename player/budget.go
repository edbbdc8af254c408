package player

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

// Budget limits a player's effort per action. Exactly one field is set.
type Budget struct {
	Simulations int           `json:"simulations,omitempty"` // nodes for another program
	Depth       int           `json:"depth,omitempty"`       // actions that alpha-beta looks ahead
	MACs        int64         `json:"macs,omitempty"`        // multiply-adds of the network; one simulation costs one evaluation
	Time        time.Duration `json:"time,omitempty"`        // wall time
	CPU         time.Duration `json:"cpu,omitempty"`         // CPU time of the searching thread
}

// Bounds of a Budget.
const (
	MinTime = time.Millisecond
	MaxTime = 24 * time.Hour
	maxMACs = 1 << 60
)

// Timed reports whether the budget is a time. The games of timed players cannot be reproduced.
func (b Budget) Timed() bool { return b.Time > 0 || b.CPU > 0 }

// validate returns an error unless b is a valid budget for a player with the unit name:
// n from 1 to most, a time or, if the unit is simulations, multiply-adds. n is the field of b
// for that unit.
func (b Budget) validate(name string, n, most int) error {
	set := 0
	for _, x := range []int64{int64(b.Simulations), int64(b.Depth), b.MACs, int64(b.Time), int64(b.CPU)} {
		if x != 0 {
			set++
		}
	}
	limited := n != 0 || b.Timed() || b.MACs != 0 && name == "simulations"
	switch {
	case set == 0:
		return fmt.Errorf("%s is required, from 1 to %d", name, most)
	case set > 1 || !limited:
		return fmt.Errorf("a budget of %s cannot be used here", b)
	case n != 0 && (n < 1 || n > most):
		return fmt.Errorf("%s must be 1 to %d, not %d", name, most, n)
	case b.MACs < 0 || b.MACs > maxMACs:
		return fmt.Errorf("macs must be 1 to %d, not %d", int64(maxMACs), b.MACs)
	case b.Timed() && (max(b.Time, b.CPU) < MinTime || max(b.Time, b.CPU) > MaxTime) || b.Time < 0 || b.CPU < 0:
		return fmt.Errorf("%s is not a time from %s to %s", b, MinTime, MaxTime)
	}
	return nil
}

// isBudgetKey reports whether key, such as sims, sets a budget.
func isBudgetKey(key string) bool {
	return slices.Contains([]string{"sims", "simulations", "nodes", "macs", "time", "cpu"}, key)
}

// parseBudget parses the value of the setting sims (or simulations, nodes), depth, macs, time
// or cpu.
func parseBudget(key, value string) (b Budget, err error) {
	switch key {
	case "time":
		b.Time, err = parseTime(key, value)
	case "cpu":
		b.CPU, err = parseTime(key, value)
	case "macs":
		b.MACs, err = parseCount(value)
	case "depth":
		b.Depth, err = parseNumber(key, value, MaxDepth)
	default:
		b.Simulations, err = parseNumber(key, value, MaxSimulations)
	}
	return b, err
}

// parseBare parses a budget that may be a bare number, which is the value of key.
func parseBare(key, text string) (Budget, error) {
	given, value, _ := strings.Cut(text, "=")
	switch {
	case given == "time", given == "cpu", given == key, key == "sims" && isBudgetKey(given) && given != "macs":
		return parseBudget(given, value)
	}
	return parseBudget(key, text)
}

func parseNumber(key, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s %.40q is not a whole number from 1 to %d", key, text, most)
	}
	return n, nil
}

func parseTime(key, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < MinTime || d > MaxTime {
		return 0, fmt.Errorf("%s %.40q is not a duration from %s to %s, such as 100ms or 2s", key, text, MinTime, MaxTime)
	}
	return d, nil
}

// units are the suffixes of large counts.
var units = []struct {
	suffix string
	size   float64
}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"", 1}}

// parseCount parses a number of multiply-adds, such as 250M or 1.5G.
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
		return 0, fmt.Errorf("macs %.40q is not a number of multiply-adds, such as 250M or 1.5G", text)
	}
	return int64(n), nil
}

// formatCount formats n such that parseCount can parse it.
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

// String returns the budget as a setting of a player, such as sims=64.
func (b Budget) String() string {
	switch {
	case b.Time != 0:
		return "time=" + b.Time.String()
	case b.CPU != 0:
		return "cpu=" + b.CPU.String()
	case b.MACs != 0:
		return "macs=" + formatCount(b.MACs)
	case b.Depth != 0:
		return "depth=" + strconv.Itoa(b.Depth)
	}
	return "sims=" + strconv.Itoa(b.Simulations)
}

// bare is like String, without the key of a depth or a number of simulations.
func (b Budget) bare() string {
	if n := cmp.Or(b.Depth, b.Simulations); n != 0 {
		return strconv.Itoa(n)
	}
	return b.String()
}

// nodes is like String, with the key of another program's setting.
func (b Budget) nodes() string {
	if b.Simulations != 0 {
		return "nodes=" + strconv.Itoa(b.Simulations)
	}
	return b.String()
}

// simulations returns the maximum number of simulations within the budget. macs is the number
// of multiply-adds of the network, 0 if it is unknown.
func (b Budget) simulations(macs int64) (int, error) {
	switch {
	case b.MACs == 0:
		return cmp.Or(b.Simulations, MaxSimulations), nil
	case macs == 0:
		return 0, errors.New("the multiply-adds of the network are unknown")
	case b.MACs < macs:
		return 0, fmt.Errorf("%s is too small: one evaluation of the network takes %s", b, formatCount(macs))
	}
	return int(min(b.MACs/macs, MaxSimulations)), nil
}
