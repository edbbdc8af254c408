package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
)

// Games returns the games of a text, up to the first error. Errors name the line.
func Games(data []byte) iter.Seq2[Game, error] {
	return func(yield func(Game, error) bool) {
		r := reader{data: bytes.TrimPrefix(data, []byte("\ufeff")), line: 1}
		for r.space(); r.at < len(r.data); r.space() {
			g, err := r.game()
			if err != nil {
				yield(g, fmt.Errorf("PGN: line %d: %w", r.line, err))
				return
			}
			if !yield(g, nil) {
				return
			}
		}
	}
}

type reader struct {
	data []byte
	at   int // offset of the next byte
	line int // its line, from 1
}

// peek returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

// space skips white space and lines that begin with a percent sign.
func (r *reader) space() {
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '\n':
			r.line++
		case c == '%' && (r.at == 0 || r.data[r.at-1] == '\n'):
			r.rest()
			r.at--
		case c != ' ' && (c < '\t' || c > '\r'):
			return
		}
	}
}

// rest returns the rest of the line.
func (r *reader) rest() string {
	text := r.data[r.at:]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	r.at += len(text)
	return string(text)
}

var errCut = errors.New("the text ends within a game; a game ends with its result or *")

func (r *reader) game() (g Game, err error) {
	for ; r.peek() == '['; r.space() {
		t, err := r.tag()
		if err != nil {
			return g, err
		}
		g.Tags = append(g.Tags, t)
	}
	if len(g.Tags) == 0 {
		return g, fmt.Errorf("%q instead of a tag such as [White \"NAME\"]", r.peek())
	}
	g.Moves, g.Variations, err = r.moves(&g, 0)
	return g, err
}

var tagLine = regexp.MustCompile(`^\[\s*(\w+)\s*"((?:[^"\\\n]|\\.)*)"\s*\]`)

func (r *reader) tag() (Tag, error) {
	found := tagLine.FindSubmatch(r.data[r.at:])
	if found == nil {
		return Tag{}, fmt.Errorf("%.60q is not a tag such as [White \"NAME\"]", r.rest())
	}
	t := Tag{Name: string(found[1]), Value: unquote.Replace(string(found[2])), Line: r.line}
	r.at += len(found[0])
	r.line += bytes.Count(found[0], []byte("\n"))
	return t, nil
}

var unquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// maxDepth is the maximum depth of variations in variations.
const maxDepth = 32

var (
	number = regexp.MustCompile(`^(\d+\.+)*`)
	result = regexp.MustCompile(`^(1-0|0-1|1/2-1/2|\*|-?[\d.]+(,-?[\d.]+)+)$`)
)

// moves reads a line: the main line of g at depth 0, otherwise a variation. It also returns
// the variations before its first move.
func (r *reader) moves(g *Game, depth int) (line []Move, before [][]Move, err error) {
	for {
		r.space()
		var last *Move
		if len(line) > 0 {
			last = &line[len(line)-1]
		}
		switch c := r.peek(); {
		case c == 0 && r.at == len(r.data):
			return line, before, errCut
		case c == '{' || c == ';':
			text, err := r.comment()
			if err != nil {
				return line, before, err
			}
			if last != nil {
				last.Comment = strings.TrimSpace(last.Comment + " " + text)
			}
		case c == '(':
			v, err := r.variation(g, depth)
			switch {
			case err != nil:
				return line, before, err
			case last != nil:
				last.Variations = append(last.Variations, v)
			case depth == 0:
				before = append(before, v)
			default:
				return line, before, errors.New("a variation before the first move of a variation")
			}
		case c == ')' && depth > 0:
			r.at++
			return line, before, nil
		case c == ')':
			return line, before, errors.New(") without a variation")
		case c == '[' && first.Match(r.data[r.at:]):
			return line, before, errors.New("a tag before the result of the previous game")
		default:
			word := r.word()
			if depth == 0 && result.MatchString(word) && r.ends() {
				g.Result, g.Line = word, r.line
				return line, before, nil
			}
			word = strings.TrimRight(word[len(number.FindString(word)):], "!?")
			switch {
			case word == "" || word[0] == '$': // a number or a mark
			case strings.ContainsRune("([%", rune(word[0])) || strings.Count(word, "(") != strings.Count(word, ")"):
				return line, before, fmt.Errorf("%.40q is not a move", word)
			default:
				line = append(line, Move{Text: word, Line: r.line})
			}
		}
	}
}

func (r *reader) variation(g *Game, depth int) ([]Move, error) {
	if r.at++; depth == maxDepth {
		return nil, fmt.Errorf("more than %d variations in each other", maxDepth)
	}
	line, _, err := r.moves(g, depth+1)
	if err == nil && len(line) == 0 {
		err = errors.New("a variation without moves")
	}
	return line, err
}

// ends reports whether a game ends here.
func (r *reader) ends() bool {
	ahead := *r
	ahead.space()
	return ahead.at == len(ahead.data) || ahead.peek() == '['
}

func (r *reader) comment() (string, error) {
	if r.peek() == ';' {
		return tidy(strings.ReplaceAll(r.rest()[1:], "}", ")")), nil
	}
	length := bytes.IndexByte(r.data[r.at:], '}')
	if length < 0 {
		return "", errors.New("a comment without a closing brace")
	}
	text := string(r.data[r.at+1 : r.at+length])
	r.at += length + 1
	r.line += strings.Count(text, "\n")
	return tidy(text), nil
}

// tidy returns a comment on one line.
func tidy(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// word reads up to white space, a comment, or a closing parenthesis without an opening one.
func (r *reader) word() string {
	begin, open := r.at, 0
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '(':
			open++
		case c == ')' && open > 0:
			open--
		case c == ')', c == '{', c == ';', c == ' ', c >= '\t' && c <= '\r':
			return string(r.data[begin:r.at])
		}
	}
	return string(r.data[begin:])
}
