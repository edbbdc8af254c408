package study

import (
	"fmt"
	"math"
	"strings"

	"tiro/arena"
	"tiro/internal/decimal"
)

// Measure is a number by which the variants of a comparison differ.
type Measure struct {
	Name   string `json:"name"`
	More   bool   `json:"more_is_better"`
	Digits int    `json:"digits"` // printed digits after the point

	// Variation between trials with the same settings; 0 if it is unknown.
	Deviation float64 `json:"seed_deviation"` // standard deviation
	Freedom   float64 `json:"freedom"`        // degrees of freedom of the estimate

	Variants []Measured `json:"variants"` // the base first
}

// Measured is a measure of a variant. The intervals include the variation between seeds.
type Measured struct {
	Name       string          `json:"name"`
	Values     []float64       `json:"values"` // by seed
	Mean       arena.Interval  `json:"mean"`
	Difference *arena.Interval `json:"difference,omitempty"` // from the base
}

// measure returns m with the results of values[variant][seed]. The variance between seeds is
// pooled over all variants. games returns the variance that other games would add to the mean
// of a variant, or to its difference from the base. If paired is set, the differences are
// between trials of the same seed.
func (m Measure) measure(variants []Variant, values [][]float64, paired bool, games func(v int, difference bool) arena.Pooled) Measure {
	within := arena.Pool(values)
	between := within
	if paired {
		between = arena.PoolBlocks(values)
	}
	m.Deviation, m.Freedom = math.Sqrt(within.Variance), within.Freedom
	for v, of := range values {
		n, mean := float64(len(of)), arena.Mean(of)
		x := Measured{Name: variants[v].Name, Values: of, Mean: within.Interval(mean, 1/n, games(v, false))}
		if v > 0 {
			difference := between.Interval(mean-arena.Mean(values[0]), 1/n+1/float64(len(values[0])), games(v, true))
			x.Difference = &difference
		}
		m.Variants = append(m.Variants, x)
	}
	return m
}

// String returns the measure as a table.
func (m Measure) String() string {
	head := fmt.Sprintf("%s; variation between seeds unknown (one seed)\n", m.Name)
	if m.Freedom > 0 {
		head = fmt.Sprintf("%s; standard deviation between seeds %s (%.0f degrees of freedom)\n", m.Name, m.number(m.Deviation), m.Freedom)
	}
	return head + m.table("variant")
}

// table returns the variants as a table, whose first column has the given title.
func (m *Measure) table(title string) string {
	rows := [][]string{{title, "mean", "95% interval"}}
	if len(m.Variants) > 1 {
		rows[0] = append(rows[0], "against "+m.Variants[0].Name, "95% interval")
	}
	for _, v := range m.Variants {
		row := []string{v.Name, m.number(v.Mean.Value), v.Mean.Bounds(m.number)}
		if d := v.Difference; d != nil {
			row = append(row, m.signed(d.Value), d.Bounds(m.signed), m.verdict(*d))
		}
		rows = append(rows, row)
	}
	return columns(rows)
}

func (m *Measure) number(x float64) string {
	return strings.TrimPrefix(decimal.Signed(x, m.Digits), "+") // without the sign of -0
}

func (m *Measure) signed(x float64) string { return decimal.Signed(x, m.Digits) }

// verdict returns whether a difference is significantly better or worse.
func (m *Measure) verdict(i arena.Interval) string {
	switch {
	case i.Low > 0 == m.More && (i.Low > 0 || i.High < 0):
		return "better"
	case i.Low > 0 || i.High < 0:
		return "worse"
	}
	return "unknown"
}
