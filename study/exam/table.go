package exam

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tiro/internal/decimal"
)

// Table formats results as two tables: the moves, and the errors of the expected values.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("set         sims  positions  choices  right   95% interval    alone   on right\n")
	for _, r := range results {
		fmt.Fprintf(&b, "%-10s %5d  %9d", r.Kind, r.Simulations, r.Positions)
		switch s := r.Searched; {
		case r.Conversion != nil:
			c := r.Conversion
			fmt.Fprintf(&b, "           %5.1f%%  %-14s  %s", share(c.Won, r.Positions), between(c.Interval.Low, c.Interval.High), c)
		case s.Choices > 0:
			fmt.Fprintf(&b, "  %7d  %5.1f%%  %-14s  %5.1f%%  %5.1f%%", s.Choices, share(s.Right, s.Choices),
				between(s.Interval.Low, s.Interval.High), share(r.Alone.Right, r.Alone.Choices), 100*s.Mass)
		}
		if r.Kind == Endgame {
			fmt.Fprintf(&b, "  shortened %.1f%%, mean value %s", share(r.Searched.Shortened, r.Positions), decimal.Signed(r.Searched.Value.Mean, 3))
		}
		b.WriteString("\n")
	}
	head := "\nvalue error (bias)   alone           searched        log-loss  alone   least\n"
	for _, r := range results {
		if s := r.Searched; s != nil && r.Kind != Tactics {
			b.WriteString(head)
			head = ""
			fmt.Fprintf(&b, "%-10s %5d sims  %-14s  %-14s  %-8.3f  %-6.3f  %.3f\n", r.Kind, r.Simulations,
				r.Alone.Value, s.Value, s.Value.LogLoss, r.Alone.Value.LogLoss, r.LeastLogLoss)
		}
	}
	if slices.ContainsFunc(results, func(r Result) bool { return r.Searched != nil && r.Searched.Choices > 0 }) {
		b.WriteString(legend)
	}
	return b.String()
}

// legend explains the columns of the table.
const legend = `
choices: positions with right and wrong moves. right, alone: how many of them the search, and the
network without search, play right. on right: probability that the search gives to right moves.
`

func share(n, of int) float64 { return 100 * float64(n) / float64(of) }

func between(low, high float64) string { return fmt.Sprintf("%.1f to %.1f%%", 100*low, 100*high) }

// String returns the error with the bias in brackets.
func (e Estimate) String() string {
	return fmt.Sprintf("%.3f (%s)", e.Error, decimal.Signed(e.Bias, 3))
}

// String returns the mean length of the games won, and the endings of the others.
func (c *Conversions) String() string {
	text := fmt.Sprintf("won in %.0f plies", c.Plies)
	for _, ending := range slices.Sorted(maps.Keys(c.Endings)) {
		text += fmt.Sprintf(", %s ×%d", ending, c.Endings[ending])
	}
	if c.Lost > 0 {
		text += fmt.Sprintf(", of these %d lost", c.Lost)
	}
	return text
}
