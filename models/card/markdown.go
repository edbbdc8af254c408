package card

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Markdown returns the card for people: what the network is, how it was made,
// how strong it is, what it was not tested for, and the run's configuration.
func (c Card) Markdown() string {
	d := &document{}
	d.paragraph("# %s, generation %d", c.Game, c.Generation)
	d.paragraph("A network that learned %s by playing against itself, from random weights.", code(c.Game))
	d.facts(c)
	d.strength(c)
	d.curve(c)
	d.limits(c)
	d.reproduction(c)
	if c.Config != "" {
		d.paragraph("## Configuration")
		d.block("yaml", c.Config)
	}
	return d.String()
}

// document builds Markdown: parts with an empty line between them.
type document struct{ strings.Builder }

func (d *document) paragraph(format string, values ...any) {
	if d.Len() > 0 {
		d.WriteString("\n")
	}
	fmt.Fprintf(d, format+"\n", values...)
}

// block writes text as it is, between fences that do not occur in it.
func (d *document) block(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	d.paragraph("%s%s\n%s\n%s", fence, language, strings.TrimSuffix(text, "\n"), fence)
}

// table begins a table. Columns whose names begin with "<" hold text, the others
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
	unmeasured := ""
	if c.Unmeasured > 0 {
		unmeasured = fmt.Sprintf("; of %d of the generations they are not known and left out", c.Unmeasured)
	}
	pool := ""
	if c.Net.Pool {
		pool = " with global pooling"
	}
	d.table("<", "<")
	d.row("trained", fmt.Sprintf("%d generations, seed %d", c.Generation, c.Seed))
	d.row("trained by", fmt.Sprintf("tiro version %s, backend %s", recorded(c.Trained.Tiro), recorded(c.Trained.Backend)))
	d.row("games", fmt.Sprintf("%s of self-play, with %s positions to learn from", grouped(c.Games), grouped(c.Samples)))
	d.row("took", fmt.Sprintf("%s core-hours, %s evaluations of the network in self-play%s",
		hours(c.CoreHours), grouped(c.Evaluations), unmeasured))
	d.row("network", fmt.Sprintf("%d channels × %d blocks%s, %s parameters", c.Net.Channels, c.Net.Blocks, pool, grouped(c.Parameters)))
	d.row("file", fmt.Sprintf("`weights.safetensors`, %s bytes, SHA-256 %s", grouped(int(c.Weights.Bytes)), code(c.Weights.SHA256)))
	d.paragraph("Core-hours are the time of each generation times its workers. Of a generation that was interrupted, they and the evaluations cover the part after\nthe interruption.")
}

// recorded returns text, or says that there is none.
func recorded(text string) string { return cmp.Or(text, "not recorded") }

// strength says how the network did against fixed players.
func (d *document) strength(c Card) {
	d.paragraph("## Strength")
	root, leaves := c.Rated.Root, "one leaf at a time"
	if name, ok := map[string]string{"gumbel": "Gumbel", "puct": "PUCT"}[root]; ok {
		root = name
	}
	if n := c.Rated.ParallelLeaves; n > 1 {
		leaves = fmt.Sprintf("%d leaves in parallel by virtual loss", n)
	}
	d.paragraph(`The network searched with %d simulations a move, a %s root, %s, and without root noise. Each game begins with
%d random actions, and each such opening is played from every seat%s. The score is the points a game, 1 for a win;
*equal* is the score of equal players. Intervals are of 95%%. The matches have seed %d. They were played by tiro %s,
backend %s, on %s.`, c.Rated.Simulations, root, leaves, c.Rated.Opening, seats(c.Ratings), c.Rated.Seed, c.Rated.Tiro,
		c.Rated.Backend, c.Rated.Machine)
	if len(c.Ratings) == 0 {
		return
	}
	d.table("<against", "games", "wins", "draws", "losses", "score", "interval", "equal", "Elo above it")
	for _, r := range c.Ratings {
		d.row(r.Opponent, strconv.Itoa(r.Games), strconv.Itoa(r.Wins), strconv.Itoa(r.Draws), strconv.Itoa(r.Losses),
			percent(r.Score.Value), r.Score.bounds(), percent(r.EqualScore), r.Elo.String())
	}
	for _, r := range c.Ratings {
		if r.Distinct < r.Games {
			d.paragraph("Only %d of the %d games against %s differ from each other. Identical games tell nothing new, so these intervals are too narrow.",
				r.Distinct, r.Games, r.Opponent)
		}
	}
}

// seats says who sits where, if there are more than two seats.
func seats(ratings []Rating) string {
	if len(ratings) == 0 || ratings[0].EqualScore >= 0.5 {
		return ""
	}
	return "; the network has one seat, its opponent all the others"
}

// curve says how the network got there.
func (d *document) curve(c Card) {
	if len(c.Curve) == 0 {
		return
	}
	reference := c.Curve[0].Reference
	d.paragraph("## Learning curve")
	d.paragraph("Checkpoints of the same run, rated in the same way, with %d games a match: against %s, and against the checkpoint in the row above.",
		reference.Games, reference.Opponent)
	d.table("generation", "games", "evaluations", "core-hours", "score against "+reference.Opponent, "interval",
		"score against the row above", "interval", "Elo above it")
	for _, p := range c.Curve {
		row := []string{
			strconv.Itoa(p.Generation), grouped(p.Games), grouped(p.Evaluations), hours(p.CoreHours),
			percent(p.Reference.Score.Value), p.Reference.Score.bounds(), "", "", "",
		}
		if r := p.Previous; r != nil {
			row = append(row[:6], percent(r.Score.Value), r.Score.bounds(), r.Elo.String())
		}
		d.row(row...)
	}
}

// limits says what the card does not tell.
func (d *document) limits(c Card) {
	d.paragraph("## What this does not tell")
	fmt.Fprintf(d, `
* How it does with other options of the game, or against people and other programs: it met the players above, and nobody else.
* How it does with more or fewer than %d simulations a move, or with another search, such as that of `+"`tiro engine`"+`.
* How other runs end: this is one run with one seed. The intervals describe the matches, not what another training would bring.
* How it plays in positions that neither its own games nor %d random actions lead to.
`, c.Rated.Simulations, c.Rated.Opening)
	if seats(c.Ratings) != "" {
		d.WriteString("* How it does in a game with opponents of several kinds.\n")
	}
}

// reproduction says how the network and the card are made once more.
func (d *document) reproduction(c Card) {
	if len(c.Commands) == 0 {
		return
	}
	d.paragraph("## Made again")
	d.block("", strings.Join(c.Commands, "\n"))
	switch {
	case strings.Contains(c.Trained.Backend, ","):
		d.paragraph("Several backends computed the network in the run (%s). They differ in the last bits, and so in the games: expect other weights.", c.Trained.Backend)
	case strings.Contains(c.Trained.Tiro, ","):
		d.paragraph("Several versions of tiro trained the network (%s): expect other weights.", c.Trained.Tiro)
	case c.Trained.Tiro == "", c.Trained.Tiro == "(devel)":
		d.paragraph(`Which version of tiro trained the network was not recorded. The commands train a network of the same configuration; whether its weights
are the same is not known.`)
	default:
		d.paragraph(`Weights, games and ratings come out the same, for any number of workers, if the configuration was the same throughout the run and both
tiro (version %s for the run, %s for the matches) and the backend (%s and %s) are the same, on a processor of the
same architecture. Other backends differ in the last bits, and so in the games.`,
			c.Trained.Tiro, c.Rated.Tiro, recorded(c.Trained.Backend), c.Rated.Backend)
	}
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

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// hours writes an amount of hours; a little is never written as none.
func hours(n float64) string {
	if n > 0 && n < 1 {
		return strconv.FormatFloat(n, 'g', 2, 64)
	}
	return fmt.Sprintf("%.1f", n)
}

// bounds writes the interval in percent, such as "92.9 to 100.0%".
func (i Interval) bounds() string { return fmt.Sprintf("%.1f to %.1f%%", 100*i.Low, 100*i.High) }

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
