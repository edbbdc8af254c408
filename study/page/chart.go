package page

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"tiro/study/strength"
)

// ChartStyle is the style sheet of charts. It takes the colours of grid and labels from
// the variables --line and --dim of the page.
//
//go:embed chart.css
var ChartStyle string

// A chart is drawn in a box of so many units.
const (
	chartWidth  = 480.
	chartHeight = 220.
	chartLeft   = 52.
	chartBottom = 30.
	chartTop    = 10.
	chartRight  = 12.
)

// dot is a point of a series; low and high are the ends of its error bar.
type dot struct{ x, y, low, high float64 }

// series is a line of a chart.
type series struct {
	name string
	dots []dot
	band bool // whether the error bars are drawn
}

// Chart is a diagram of lines.
type Chart struct {
	label    string // of the picture, for those who do not see it
	x        string // label of the axis
	series   []series
	fromZero bool // whether the axis of values begins at 0
	digits   int  // of the numbers, after the point
}

// span is a range of numbers.
type span struct{ low, high float64 }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

// SVG returns the chart as an element of a page with ChartStyle, "" if it has no point.
func (c Chart) SVG() template.HTML {
	x, y := span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, s := range c.series {
		for _, d := range s.dots {
			x.add(d.x)
			y.add(d.y)
			if s.band {
				y.add(d.low)
				y.add(d.high)
			}
		}
	}
	if math.IsInf(x.low, 0) {
		return ""
	}
	if c.fromZero {
		y.add(0)
	}
	if x.high == x.low {
		x.high++
	}
	if y.high == y.low {
		y.high++
	}
	atX := func(v float64) float64 {
		return chartLeft + float64((v-x.low)/(x.high-x.low)*(chartWidth-chartLeft-chartRight))
	}
	atY := func(v float64) float64 {
		return chartHeight - chartBottom - float64((v-y.low)/(y.high-y.low)*(chartHeight-chartBottom-chartTop))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`, chartWidth, chartHeight, html.EscapeString(c.label))
	for _, v := range strength.Ticks(y.low, y.high, 5) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f,%.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			chartLeft, atY(v), chartWidth-chartRight, chartLeft-6, atY(v)+4, short(v))
	}
	for _, v := range strength.Ticks(x.low, x.high, 6) {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, atX(v), chartHeight-chartBottom+16, short(v))
	}
	fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, chartWidth-chartRight, chartHeight-2, html.EscapeString(c.x))
	for i, s := range c.series {
		if s.band && len(s.dots) > 0 {
			fmt.Fprintf(&b, `<path class="band b%d" d="`, i)
			for j, d := range s.dots {
				fmt.Fprintf(&b, "%c%.1f,%.1f", "ML"[min(j, 1)], atX(d.x), atY(d.high))
			}
			for j := len(s.dots) - 1; j >= 0; j-- {
				fmt.Fprintf(&b, "L%.1f,%.1f", atX(s.dots[j].x), atY(s.dots[j].low))
			}
			b.WriteString(`z"/>`)
		}
		fmt.Fprintf(&b, `<path class="line s%d" d="`, i)
		for j, d := range s.dots {
			fmt.Fprintf(&b, "%c%.1f,%.1f", "ML"[min(j, 1)], atX(d.x), atY(d.y))
		}
		b.WriteString(`"/>`)
		for _, d := range s.dots {
			fmt.Fprintf(&b, `<circle class="dot d%d" cx="%.1f" cy="%.1f" r="3"><title>%s: %s at %s</title></circle>`,
				i, atX(d.x), atY(d.y), html.EscapeString(s.name), strconv.FormatFloat(d.y, 'f', c.digits, 64), short(d.x))
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Legend returns the names of the lines, if there are several, with their colours.
func (c Chart) Legend() template.HTML {
	var b strings.Builder
	for i, s := range c.series {
		if len(s.dots) > 0 {
			fmt.Fprintf(&b, `<span class="key k%d">%s</span> `, i, html.EscapeString(s.name))
		}
	}
	return template.HTML(b.String())
}

// short returns a number in few digits.
func short(v float64) string { return strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', 5, 64) } // +0: never "-0"
