package env

import (
	"fmt"
	"strings"
)

// Explainer is a Game that explains its rules to newcomers.
type Explainer interface {
	// Rules returns the rules under the game's options.
	Rules() Rules
}

// Rules are the rules of a game, written for players.
type Rules struct {
	// Text consists of paragraphs separated by blank lines, which Format wraps. A paragraph
	// whose first line begins with a blank, such as a picture, keeps its lines, which are
	// at most RulesWidth columns wide. Moves are enclosed in backquotes, which have no
	// other use.
	Text string

	// Moves lists all moves shown in Text, each with a position in which it is legal, so
	// that tests can check the text.
	Moves []ShownMove
}

// ShownMove is an example in the rules: a move or a complete turn.
type ShownMove struct {
	Move     string
	Position string // a position string, or "" for the start position
}

// RulesWidth is the maximum width of rules, in columns.
const RulesWidth = 72

// Format returns the text with paragraphs wrapped at width columns or RulesWidth, whichever
// is less. Longer words and pictures are not broken. The result ends with a newline.
func (r Rules) Format(width int) string {
	width = min(width, RulesWidth)
	var paragraphs []string
	for p := range strings.SplitSeq(strings.Trim(r.Text, "\n"), "\n\n") {
		if !strings.HasPrefix(p, " ") {
			p = Wrap(p, width)
		}
		paragraphs = append(paragraphs, p)
	}
	return strings.Join(paragraphs, "\n\n") + "\n"
}

// Wrap breaks text at white space into lines of at most width characters. Words longer than
// width are not broken.
func Wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// Plural returns a number with a regular noun, such as "1 tile" or "2 tiles".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Enumerate joins names, as in "Yellow, Red and Black".
func Enumerate(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
