package grid

import (
	"fmt"
	"strings"

	"tiro/env"
)

// Changed reports whether cell differs between s and since, which may be nil.
func Changed(s Position, since env.State, cell int) bool {
	earlier, ok := since.(Position)
	return ok && earlier.At(cell) != s.At(cell)
}

// Lines draws s as lines of text: the rows from the top, and the names of columns above
// them if the board is TopDown, below otherwise. Changed cells are in brackets. empty
// returns the symbol of an empty cell; nil means the symbol of the notation.
func (l *Layout) Lines(s Position, screen env.Screen, empty func(cell int) byte) (lines []string) {
	columns := ""
	if !l.Unnumbered {
		columns = "  "
	}
	for i := range l.Width {
		columns += " " + l.column(i)
	}
	if l.TopDown {
		lines = append(lines, columns)
	}
	for row := range l.Height {
		var line strings.Builder
		first := l.FromTop(row * l.Width)
		if !l.Unnumbered {
			fmt.Fprintf(&line, "%2d", 1+first/l.Width)
		}
		left := " " // of the next cell
		for cell := first; cell < first+l.Width; cell++ {
			right := " "
			if Changed(s, screen.Since, cell) {
				left, right = "[", "]"
			}
			at := s.At(cell)
			symbol := l.Symbols[at : at+1]
			switch {
			case at > 0 && screen.Colour:
				symbol = "\x1b[" + l.Colours[at-1] + "m" + symbol + "\x1b[0m"
			case at == 0 && empty != nil:
				symbol = string(empty(cell))
			}
			line.WriteString(left + symbol)
			left = right
		}
		lines = append(lines, strings.TrimSuffix(line.String()+left, " "))
	}
	if !l.TopDown {
		lines = append(lines, columns)
	}
	return lines
}

// Join returns the lines as a drawing.
func Join(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// Fill returns the text of env.Rules with the drawing of s in place of {board}, and each of
// the names in pairs, such as "{size}", replaced by the value after it.
func Fill(text string, s env.State, pairs ...any) string {
	board := strings.TrimSuffix(env.Draw(s, env.Screen{}), "\n")
	words := []string{"{board}", "  " + strings.ReplaceAll(board, "\n", "\n  ")}
	for _, value := range pairs {
		words = append(words, fmt.Sprint(value))
	}
	return strings.NewReplacer(words...).Replace(text)
}
