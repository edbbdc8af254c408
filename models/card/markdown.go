package card

import (
	"fmt"
	"strconv"
	"strings"
)

// Markdown returns the card for people: what the network is, how it was made,
// how strong it is, what it was not tested for, and the run's configuration.
func (c Card) Markdown() string {
	d := &document{}
	d.paragraph("# %s, generation %d", c.Game, c.Generation)
	d.paragraph("A network that learned %s by playing against itself, from random weights and the rules alone.", code(c.Game))
	d.facts(c)
	d.strength(c)
	d.curve(c)
	d.limits(c)
	d.again(c)
	if c.Config != "" {
		d.paragraph("## Configuration")
		d.block("yaml", c.Config)
	}
	return d.String()
}

// document is Markdown under way: parts with an empty line between them.
type document struct{ strings.Builder }

func (d *document) paragraph(format string, values ...any) {
	if d.Len() > 0 {
		d.WriteString("\n")
	}
	fmt.Fprintf(d, format+"\n", values...)
}

// block writes text as it is, between fences that it does not hold itself.
func (d *document) block(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	d.paragraph("%s%s\n%s\n%s", fence, language, strings.TrimSuffix(text, "\n"), fence)
}

// table begins a table; columns whose names begin with "<" hold text, the others
// numbers.
func (d *document) table(columns ...string) {
	rules := make([]string, len(columns))
	for i := range columns {
		rules[i] = "--:"
		if name, ok := strings.CutPrefix(columns[i], "<"); ok {
			columns[i], rules[i] = name, "---"
		}
	}
	d.WriteString("\n")
	d.row(columns...)
	d.row(rules...)
}

// row writes a row of the table.
func (d *document) row(cells ...string) {
	escape := strings.NewReplacer(`\`, `\\`, "|", `\|`)
	for i := range cells {
		cells[i] = escape.Replace(cells[i])
	}
	fmt.Fprintf(d, "| %s |\n", strings.Join(cells, " | "))
}

// facts says what the network is and what it took.
func (d *document) facts(c Card) {
	untimed := ""
	if c.Untimed > 0 {
		untimed = fmt.Sprintf("; of %d of the generations they are not known and left out", c.Untimed)
	}
	pool := ""
	if c.Net.Pool {
		pool = " with global pooling"
	}
	d.table("<", "<")
	d.row("trained", fmt.Sprintf("%d generations, seed %d", c.Generation, c.Seed))
	d.row("games", fmt.Sprintf("%s of self-play, with %s positions to learn from", grouped(c.Games), grouped(c.Rows)))
	d.row("took", fmt.Sprintf("%s core-hours, %s evaluations of the network in self-play%s",
		hours(c.CoreHours), grouped(c.Evaluations), untimed))
	d.row("network", fmt.Sprintf("%d channels × %d blocks%s, %s parameters", c.Net.Channels, c.Net.Blocks, pool, grouped(c.Parameters)))
	d.row("file", fmt.Sprintf("`weights.safetensors`, %s bytes, SHA-256 %s", grouped(int(c.Weights.Bytes)), code(c.Weights.SHA256)))
	d.paragraph("Core-hours are the time of each generation times its workers; of a generation that was interrupted, they and the evaluations cover only the last part.")
}

// strength says how the network did against fixed players.
func (d *document) strength(c Card) {
	d.paragraph("## Strength")
	d.paragraph(`With %d simulations a move, without noise. Each game begins with %d random actions, and each such opening is played from every seat%s.
A share is the points a game, 1 for a win; *chance* is the share if all seats were equal. Intervals are of 95%%. Matches of seed %d, by
tiro %s on %s.`, c.Rated.Simulations, c.Rated.Opening, alone(c.Ratings), c.Rated.Seed, c.Rated.Tiro, c.Rated.Machine)
	if len(c.Ratings) == 0 {
		return
	}
	d.table("<against", "games", "won", "drawn", "lost", "share", "interval", "chance", "Elo above it")
	for _, r := range c.Ratings {
		d.row(r.Opponent, strconv.Itoa(r.Games), strconv.Itoa(r.Won), strconv.Itoa(r.Drawn), strconv.Itoa(r.Lost),
			percent(r.Share.Value), r.Share.interval(), percent(r.Share.Chance), r.Elo.String())
	}
	for _, r := range c.Ratings {
		if r.Distinct < r.Games {
			d.paragraph("Only %d of the %d games against %s differ from each other; identical games tell nothing new, so its intervals are too narrow.",
				r.Distinct, r.Games, r.Opponent)
		}
	}
}

// alone says who sits where, if there are more than two seats.
func alone(ratings []Rating) string {
	if len(ratings) == 0 || ratings[0].Share.Chance >= 0.5 {
		return ""
	}
	return "; the network has one seat, its opponent all the others"
}

// curve says how the network got there.
func (d *document) curve(c Card) {
	if len(c.Curve) == 0 {
		return
	}
	d.paragraph("## Learning curve")
	d.paragraph("Checkpoints of the same run, rated in the same way, with %d games a match: against %s, and against the checkpoint in the row above.",
		c.Curve[0].Yardstick.Games, c.Curve[0].Yardstick.Opponent)
	d.table("generation", "games", "evaluations", "core-hours", "share against "+c.Curve[0].Yardstick.Opponent, "interval",
		"share against the row above", "interval", "Elo above it")
	for _, p := range c.Curve {
		row := []string{
			strconv.Itoa(p.Generation), grouped(p.Games), grouped(p.Evaluations), hours(p.CoreHours),
			percent(p.Yardstick.Share.Value), p.Yardstick.Share.interval(), "", "", "",
		}
		if b := p.Before; b != nil {
			row = append(row[:6], percent(b.Share.Value), b.Share.interval(), b.Elo.String())
		}
		d.row(row...)
	}
}

// limits says what the card does not tell.
func (d *document) limits(c Card) {
	d.paragraph("## What this does not tell")
	fmt.Fprintf(d, `
* How it does with other options of the game, or against people and other programs: it met the players above, and nobody else.
* How it does with more or fewer than %d simulations a move.
* How other runs end: this is one, with one seed. The intervals speak of the matches, not of what another training would bring.
* How it plays in positions that neither its own games nor %d random actions lead to.
`, c.Rated.Simulations, c.Rated.Opening)
	if alone(c.Ratings) != "" {
		d.WriteString("* How it does against opponents of several kinds at one table.\n")
	}
}

// again says how the network and the card are made once more.
func (d *document) again(c Card) {
	if len(c.Commands) == 0 {
		return
	}
	d.paragraph("## Made again")
	d.block("", strings.Join(c.Commands, "\n"))
	if strings.Contains(c.Backend, ",") {
		d.paragraph("Several backends computed the network in the run (%s). They differ in the last bits, and so in the games: expect other weights.", c.Backend)
		return
	}
	d.paragraph(`Weights, games and ratings come out the same, for any number of workers, if the configuration was the same throughout the run, tiro is the
same (its rules have version %d), and so is the backend that computes the network (in the run: %s; in the matches: %s). Other backends differ in
the last bits, and so in the games.`, c.GameVersion, c.Backend, c.Rated.Backend)
}

// code marks text that is typed.
func code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// hours writes an amount of hours so that little is still more than none.
func hours(n float64) string {
	if n > 0 && n < 1 {
		return strconv.FormatFloat(n, 'g', 2, 64)
	}
	return fmt.Sprintf("%.1f", n)
}

// interval writes the interval alone.
func (s Share) interval() string { return fmt.Sprintf("%.1f to %.1f%%", 100*s.Low, 100*s.High) }

// String returns the difference for people, such as "+134 (+64 to +205)".
func (e Elo) String() string {
	switch {
	case e.Low == nil && e.High == nil:
		return "unknown"
	case e.High == nil:
		return fmt.Sprintf("at least %+.0f", *e.Low)
	case e.Low == nil:
		return fmt.Sprintf("at most %+.0f", *e.High)
	case e.Value == nil:
		return fmt.Sprintf("%+.0f to %+.0f", *e.Low, *e.High)
	}
	return fmt.Sprintf("%+.0f (%+.0f to %+.0f)", *e.Value, *e.Low, *e.High)
}
