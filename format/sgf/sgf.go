// Package sgf reads and writes games in the Smart Game Format (A. Hollosi, "SGF File Format
// FF[4]", red-bean.com/sgf). It handles the syntax only, and reads the main lines only.
//
// A game is a list of nodes, each a list of properties:
//
//	(;FF[4]GM[1]SZ[9]PB[Black];B[ee];W[ce])
package sgf

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// Property is a property of a node, such as AB[dd][pp].
type Property struct {
	Name   string
	Values []string
}

// Node is the list of a node's properties. The first node of a game describes the game.
type Node []Property

// Get returns the values of a property, or nil if the node does not have it.
func (n Node) Get(name string) []string {
	for _, p := range n {
		if p.Name == name {
			return p.Values
		}
	}
	return nil
}

// Text returns the first value of a property, or "" if there is none.
func (n Node) Text(name string) string {
	if values := n.Get(name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Is reports whether data looks like an SGF file.
func Is(data []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(data, "\ufeff \t\r\n"), []byte("("))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(";"))
}

// Games yields the main line of each game in data, at least one, up to text that is no game.
// After an error, which names the line of the text, it ends.
func Games(data []byte) iter.Seq2[[]Node, error] {
	return func(yield func([]Node, error) bool) {
		r := reader{data: data}
		for first := true; first || Is(data[r.at:]); first = false {
			nodes, err := r.game()
			if err != nil {
				yield(nil, fmt.Errorf("SGF: line %d: %w", 1+bytes.Count(data[:r.at], []byte("\n")), err))
				return
			}
			if !yield(nodes, nil) {
				return
			}
		}
	}
}

type reader struct {
	data []byte
	at   int // offset of the next byte
}

var errCut = errors.New("the file ends within a game")

// game reads a game and returns its main line. The first closing parenthesis ends the main
// line, since the first variation is always the main one.
func (r *reader) game() (nodes []Node, err error) {
	if !Is(r.data[r.at:]) {
		return nil, errors.New("a game must begin with (;")
	}
	r.at += bytes.IndexByte(r.data[r.at:], '(')
	for depth, ended := 0, false; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == ';':
			if !ended {
				nodes = append(nodes, nil)
			}
		case c == '(':
			depth++
		case c == ')':
			ended = true
			if depth--; depth == 0 {
				r.at++
				return nodes, nil
			}
		case isSpace(c):
		case isLetter(c) && len(nodes) > 0:
			p, err := r.property()
			if err != nil {
				return nil, err
			}
			if last := &nodes[len(nodes)-1]; !ended {
				*last = append(*last, p)
			}
			r.at--
		default:
			return nil, fmt.Errorf("%q instead of a property, ; or )", c)
		}
	}
	return nil, errCut
}

// property reads a property.
func (r *reader) property() (p Property, err error) {
	for ; r.at < len(r.data) && isLetter(r.data[r.at]); r.at++ {
		if c := r.data[r.at]; c <= 'Z' { // earlier versions spell B as Black
			p.Name += string(c)
		}
	}
	for {
		for r.at < len(r.data) && isSpace(r.data[r.at]) {
			r.at++
		}
		if r.at == len(r.data) {
			return p, errCut
		}
		if r.data[r.at] != '[' {
			break
		}
		r.at++
		value, err := r.value()
		if err != nil {
			return p, err
		}
		p.Values = append(p.Values, value)
	}
	if len(p.Values) == 0 {
		return p, fmt.Errorf("property %.20s without a value in brackets", p.Name)
	}
	return p, nil
}

// value reads up to the closing bracket. A value that is not UTF-8 is taken for ISO 8859-1, the
// encoding of games without the property CA.
func (r *reader) value() (string, error) {
	var b strings.Builder
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; c {
		case ']':
			r.at++
			return utf8Of(b.String()), nil
		case '\\':
			if r.at++; r.at == len(r.data) {
				return "", errCut
			}
			if r.data[r.at] == '\r' && r.at+1 < len(r.data) && r.data[r.at+1] == '\n' {
				r.at++
			}
			if r.data[r.at] != '\n' { // the newline after a backslash is removed
				b.WriteByte(r.data[r.at])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errCut
}

func utf8Of(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var runes []rune
	for _, c := range []byte(s) {
		runes = append(runes, rune(c))
	}
	return string(runes)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}
func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// Write writes a game without variations.
func Write(nodes []Node) []byte {
	var b bytes.Buffer
	b.WriteByte('(')
	for i, node := range nodes {
		if i > 0 && i%10 == 1 {
			b.WriteByte('\n')
		}
		b.WriteByte(';')
		for _, p := range node {
			b.WriteString(p.Name)
			for _, value := range p.Values {
				fmt.Fprintf(&b, "[%s]", escape.Replace(value))
			}
		}
	}
	b.WriteString(")\n")
	return b.Bytes()
}

var escape = strings.NewReplacer(`\`, `\\`, `]`, `\]`)
