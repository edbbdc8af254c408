// Package pgn reads and writes games in the Portable Game Notation (S. J. Edwards 1994,
// "PGN Specification and Implementation Guide"). It handles the syntax only, for any game
// whose moves contain no white space, braces or semicolons.
//
// A game consists of tags, moves with comments and variations, and a result:
//
//	[White "random"]
//	[Result "1-0"]
//
//	1. b2 a1 2. a2 {a mistake: +0.35} (2. c3 a2) 2... a3 3. c2 1-0
package pgn

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// Tag is a line before the moves, such as [White "random"].
type Tag struct {
	Name  string // letters, digits and underscores
	Value string
	Line  int // line of the text, from 1; ignored by Append
}

// Move is a move of a line.
type Move struct {
	Number     int  // number of the round, written before its first move; 0 for none; not read
	Later      bool // whether it is not the first move of the round
	Text       string
	Comment    string   // text of the comments after the move
	Variations [][]Move // other lines that begin instead of the move
	Line       int      // line of the text, from 1; ignored by Append
}

// Game is a game of a file.
type Game struct {
	Tags       []Tag
	Moves      []Move
	Variations [][]Move // lines of a game without moves
	Result     string   // "1-0", "0-1", "1/2-1/2", payoffs by seat such as "1,-0.5,-0.5", or "*"
	Line       int      // line of the result, from 1; ignored by Append
}

// Tag returns the value of a tag, or "" if there is none.
func (g *Game) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

var first = regexp.MustCompile(`^\[\s*\w+\s*"`)

// Is reports whether data looks like PGN: it begins with a tag.
func Is(data []byte) bool { return first.Match(bytes.TrimLeft(data, "\ufeff \t\r\n")) }

// columns is the maximum length of a line of moves.
const columns = 80

// Append appends the text of the game to data.
func (g *Game) Append(data []byte) []byte {
	w := writer{text: data}
	for _, t := range g.Tags {
		w.text = append(w.text, "["+t.Name+` "`+quote.Replace(clean(t.Value))+"\"]\n"...)
	}
	w.text = append(w.text, '\n')
	w.variations(g.Variations)
	w.moves(g.Moves)
	w.word(g.Result)
	return append(w.text, '\n')
}

var quote = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// clean replaces control characters, which a tag or a comment cannot contain, by spaces.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, text)
}

// writer writes words in lines.
type writer struct {
	text   []byte
	column int
	prefix string // parentheses to open before the next word
	apart  bool   // whether the last move is not directly before
}

func (w *writer) word(text string) {
	text, w.prefix = w.prefix+text, ""
	switch length := len([]rune(text)); {
	case w.column == 0:
		w.column = length
	case w.column+1+length > columns:
		w.text, w.column = append(w.text, '\n'), length
	default:
		w.text, w.column = append(w.text, ' '), w.column+1+length
	}
	w.text = append(w.text, text...)
}

func (w *writer) moves(line []Move) {
	for i := range line {
		m := &line[i]
		switch {
		case m.Number > 0 && !m.Later:
			w.word(strconv.Itoa(m.Number) + ".")
		case m.Number > 0 && (w.apart || i == 0):
			w.word(strconv.Itoa(m.Number) + "...")
		}
		w.word(m.Text)
		w.apart = m.Comment != "" || len(m.Variations) > 0
		if m.Comment != "" {
			for _, word := range strings.Fields("{" + strings.ReplaceAll(clean(m.Comment), "}", ")") + "}") {
				w.word(word)
			}
		}
		w.variations(m.Variations)
	}
}

func (w *writer) variations(all [][]Move) {
	for _, line := range all {
		w.prefix += "("
		w.moves(line)
		w.text = append(w.text, ')')
		w.column, w.apart = w.column+1, true
	}
}
