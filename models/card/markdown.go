package card

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"tiro/internal/decimal"
)

//go:embed card.md.tmpl
var pageText string

var page = template.Must(template.New("card.md").Funcs(template.FuncMap{
	"before": Before, "bounds": Interval.bounds, "cell": cell, "code": code, "contains": strings.Contains, "fenced": fenced, "grouped": grouped, "hours": hours,
	"join": strings.Join, "manySeats": manySeats, "percent": percent, "recorded": recorded,
}).Parse(pageText))

// Markdown returns the card as a page: the network, its training, its strength, strengths that
// were not measured, and the run's configuration.
func (c Card) Markdown() string {
	var b strings.Builder
	if err := page.Execute(&b, c); err != nil {
		panic(err) // no card makes the template fail
	}
	return b.String()
}

// fenced returns text in a code block whose fences do not occur in it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(text) }

// recorded returns text, or "not recorded" if it is empty.
func recorded(text string) string { return cmp.Or(text, "not recorded") }

// manySeats reports whether the game has more than two seats.
func manySeats(c Card) bool { return len(c.Ratings) > 0 && c.Ratings[0].EqualScore < 0.5 }

// code formats text as code.
func code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// grouped formats a whole number with a comma before each group of three digits.
func grouped(n any) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// hours formats a number of hours. A positive number is never formatted as 0.
func hours(n float64) string {
	if n > 0 && n < 1 {
		return strconv.FormatFloat(n, 'g', 2, 64)
	}
	return fmt.Sprintf("%.1f", n)
}

// bounds formats the interval in percent, such as "92.9 to 100.0%".
func (i Interval) bounds() string { return fmt.Sprintf("%.1f to %.1f%%", 100*i.Low, 100*i.High) }

// String formats the difference, such as "+134 (+64 to +205)".
func (e Elo) String() string {
	switch {
	case e.Low == nil && e.High == nil:
		return "unknown"
	case e.High == nil:
		return "at least " + decimal.Signed(*e.Low, 0)
	case e.Low == nil:
		return "at most " + decimal.Signed(*e.High, 0)
	case e.Value == nil:
		return decimal.Signed(*e.Low, 0) + " to " + decimal.Signed(*e.High, 0)
	}
	return fmt.Sprintf("%s (%s to %s)", decimal.Signed(*e.Value, 0), decimal.Signed(*e.Low, 0), decimal.Signed(*e.High, 0))
}
