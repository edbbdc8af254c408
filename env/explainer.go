package env

import "strings"

// Explainer is a Game that explains its rules to people who have never seen it.
type Explainer interface {
	// Rules returns the rules of the game with the options that it has.
	Rules() Rules
}

// Rules are the rules of a game, for people.
type Rules struct {
	// Text consists of paragraphs between blank lines, to be wrapped by Format.
	// A paragraph whose first line begins with a blank, such as a picture, keeps its
	// lines, of at most RulesWidth columns. Moves stand in backquotes, and nothing
	// else does.
	Text string

	// Moves are all moves that Text shows. Each is legal in its position, so that
	// the text can be tested.
	Moves []ShownMove
}

// ShownMove is a move or a complete turn that the rules show as an example.
type ShownMove struct {
	Move     string
	Position string // a position string, or "" for the start
}

// RulesWidth is the width that rules are written for, in columns.
const RulesWidth = 72

// Format returns the text with paragraphs wrapped at width columns, or at
// RulesWidth if that is less. Longer words and pictures stay whole. It ends in a
// newline.
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

// Wrap breaks text at blanks into lines of at most width characters, as far as
// words are no longer than that.
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
