// Package chart draws line charts as SVG, for pages with the style sheet Style and as files.
package chart

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
)

// Style is the style sheet of charts. It takes the colours of grid and labels from
// the variables --line and --dim of the page.
//
//go:embed chart.css
var Style string

// Size of a chart and of its margins.
const (
	width  = 480.
	height = 220.
	left   = 52.
	bottom = 30.
	top    = 10.
	right  = 12.
)

// colours is the number of line colours in Style.
const colours = 5

// maxDots is the maximum number of dots drawn for a line.
const maxDots = 150

// Dot is a point of a line. Low and High are the ends of its error bar.
type Dot struct{ X, Y, Low, High float64 }

// Series is a line of a chart.
type Series struct {
	Name string
	Dots []Dot
	Band bool // whether the error bars are drawn
}

// Level is a value with a name, drawn as a horizontal line.
type Level struct {
	Name string
	Y    float64
}

// Chart is a diagram of lines.
type Chart struct {
	Label    string // description for screen readers
	X        string // label of the axis
	Series   []Series
	Levels   []Level
	FromZero bool // whether the axis of values begins at 0
	Digits   int  // of the numbers, after the point

	// Smooth makes each line the exponential moving average of its dots. It is the weight of
	// the average so far, 0 to below 1. The dots are drawn fainter.
	Smooth float64
}

// span is a range of numbers.
type span struct{ low, high float64 }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

// at returns the place of v on an axis from from to to.
func (s *span) at(v, from, to float64) float64 {
	return from + float64((v-s.low)/(s.high-s.low)*(to-from))
}

// spans returns the ranges of the axes, and whether there is anything to draw.
func (c *Chart) spans() (x, y span, ok bool) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	for _, s := range c.Series {
		for _, d := range s.Dots {
			x.add(d.X)
			y.add(d.Y)
			if s.Band {
				y.add(d.Low)
				y.add(d.High)
			}
		}
	}
	if math.IsInf(x.low, 0) {
		return x, y, false
	}
	for _, l := range c.Levels {
		y.add(l.Y)
	}
	if c.FromZero {
		y.add(0)
	}
	if x.high == x.low {
		x.high++
	}
	if y.high == y.low {
		y.high++
	}
	return x, y, true
}

// Empty reports whether the chart has no dot.
func (c Chart) Empty() bool {
	_, _, ok := c.spans()
	return !ok
}

// SVG returns the chart as an element of a page with Style, "" if it has no dot.
func (c Chart) SVG() template.HTML {
	body := c.body()
	if body == "" {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<svg class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">%s</svg>`, width, height, html.EscapeString(c.Label), body))
}

// body returns the elements of the chart.
func (c *Chart) body() string {
	x, y, ok := c.spans()
	if !ok {
		return ""
	}
	atX := func(v float64) float64 { return x.at(v, left, width-right) }
	atY := func(v float64) float64 { return y.at(v, height-bottom, top) }
	var b strings.Builder
	text := func(x, y float64, anchor, text string) {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(text))
	}
	for _, v := range ticks(y.low, y.high, 5) {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f,%.1fH%.1f"/>`, left, atY(v), width-right)
		text(left-6, atY(v)+4, "end", short(v))
	}
	for _, v := range ticks(x.low, x.high, 6) {
		text(atX(v), height-bottom+16, "middle", short(v))
	}
	text(width-right, height-2, "end", c.X)
	for _, l := range c.Levels {
		fmt.Fprintf(&b, `<path class="level" d="M%.1f,%.1fH%.1f"/>`, left, atY(l.Y), width-right)
		text(width-right, atY(l.Y)-2, "end", l.Name)
	}
	for i, s := range c.Series {
		if len(s.Dots) == 0 {
			continue
		}
		s.Dots = thin(s.Dots)
		s.draw(&b, i%colours, c.Digits, c.Smooth, atX, atY)
	}
	return b.String()
}

// draw draws a line with its band and dots.
func (s *Series) draw(b *strings.Builder, colour, digits int, smooth float64, atX, atY func(float64) float64) {
	if s.Band {
		fmt.Fprintf(b, `<path class="band b%d" d="`, colour)
		for j, d := range s.Dots {
			fmt.Fprintf(b, "%c%.1f,%.1f", "ML"[min(j, 1)], atX(d.X), atY(d.High))
		}
		for j := len(s.Dots) - 1; j >= 0; j-- {
			fmt.Fprintf(b, "L%.1f,%.1f", atX(s.Dots[j].X), atY(s.Dots[j].Low))
		}
		b.WriteString(`z"/>`)
	}
	fmt.Fprintf(b, `<path class="line s%d" d="`, colour)
	sum, weight := 0.0, 0.0 // of the average, whose first dots would otherwise be drawn towards 0
	for j, d := range s.Dots {
		sum, weight = float64(smooth*sum)+d.Y, float64(smooth*weight)+1
		fmt.Fprintf(b, "%c%.1f,%.1f", "ML"[min(j, 1)], atX(d.X), atY(sum/weight))
	}
	b.WriteString(`"/>`)
	faint := ""
	if smooth > 0 {
		faint = " faint"
	}
	for _, d := range s.Dots {
		fmt.Fprintf(b, `<circle class="dot d%d%s" cx="%.1f" cy="%.1f" r="3"><title>%s: %s at %s</title></circle>`,
			colour, faint, atX(d.X), atY(d.Y), html.EscapeString(s.Name), strconv.FormatFloat(d.Y, 'f', digits, 64), short(d.X))
	}
}

// Legend returns the names of the lines with their colours.
func (c Chart) Legend() template.HTML {
	var b strings.Builder
	for i, s := range c.Series {
		if len(s.Dots) > 0 {
			fmt.Fprintf(&b, `<span class="key k%d">%s</span> `, i%colours, html.EscapeString(s.Name))
		}
	}
	return template.HTML(b.String())
}

// WriteFile writes an SVG file of charts side by side, with a title above and the line names
// of the first chart below.
func WriteFile(w io.Writer, title string, charts ...Chart) error {
	const titleHeight, nameHeight = 24, 16
	names := charts[0].Series
	all := width * float64(len(charts))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" viewBox="0 0 %.0f %.0f">`, all, all, titleHeight+height+float64(nameHeight*(len(names)+1)))
	fmt.Fprintf(&b, `<style>:root{--line:#ddd;--dim:#555}%s</style><rect width="100%%" height="100%%" fill="#fff"/>`, Style)
	fmt.Fprintf(&b, `<text class="tick" x="%.0f" y="16">%s</text>`, left, html.EscapeString(title))
	for i := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%.0f,%d)">%s</g>`, width*float64(i), titleHeight, charts[i].body())
	}
	for i, s := range names {
		y := titleHeight + height + float64(nameHeight*(i+1))
		fmt.Fprintf(&b, `<path class="line s%d" d="M%.0f,%.0fh20"/><text class="tick" x="%.0f" y="%.0f">%s</text>`, i%colours, left, y-4, left+28, y, html.EscapeString(s.Name))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// short formats a number with at most five digits, or as a whole number below a billion.
func short(v float64) string {
	if size := math.Abs(v); size >= 1e5 && size < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6+0, 'g', 5, 64) // +0: never "-0"
}

// thin returns at most maxDots evenly spaced dots, including the last one.
func thin(dots []Dot) []Dot {
	if len(dots) <= maxDots {
		return dots
	}
	every := (len(dots) + maxDots - 1) / maxDots
	var kept []Dot
	for i, d := range dots {
		if (len(dots)-1-i)%every == 0 {
			kept = append(kept, d)
		}
	}
	return kept
}
