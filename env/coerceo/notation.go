package coerceo

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// startPosition is "Laurentius" (2).
const startPosition = "14.12.0a.24.14.0a.09.28.28.00.05.05.09.11.22.24.11.12.22 w 0 0"

// claimName is the notation for claiming a draw.
const claimName = "claim"

// Parse parses a position string (0.2) with the given price of an exchange. Errors name the
// wrong token and the valid values.
func Parse(text string, price int) (Position, error) {
	p, err := parse(text)
	if err != nil {
		return Position{}, fmt.Errorf("coerceo: position %.200q: %w", text, err)
	}
	if price != 1 && price != 2 {
		return Position{}, fmt.Errorf("coerceo: position %.200q: price is %d, not 1 or 2", text, price)
	}
	p.price = uint8(price)
	return p, nil
}

func parse(text string) (p Position, err error) {
	words := strings.Split(text, " ")
	if len(words) != 4 {
		return p, fmt.Errorf("number of words is %d, not 4 (TILES TURN WHITE_HAND BLACK_HAND)", len(words))
	}
	tokens := strings.Split(words[0], ".")
	if len(tokens) != tileCount {
		return p, fmt.Errorf("%d tile tokens, not %d, separated by '.'", len(tokens), tileCount)
	}
	for i, token := range tokens {
		if err := p.parseTile(geo.bit[i], token); err != nil {
			return p, fmt.Errorf("tile token %d (%s) %.200q: %w", i+1, geo.name[geo.bit[i]], token, err)
		}
	}
	switch words[1] {
	case "w":
		p.turn = White
	case "b":
		p.turn = Black
	default:
		return p, fmt.Errorf("player on turn is %.200q, not w or b", words[1])
	}
	for c, name := range [2]string{"White", "Black"} {
		n, err := strconv.Atoi(words[2+c])
		if err != nil || n < 0 || n > tileCount || strconv.Itoa(n) != words[2+c] {
			return p, fmt.Errorf("%s's hand is %.200q, not a number of tiles from 0 to %d", name, words[2+c], tileCount)
		}
		p.hand[c] = uint8(n)
	}
	if p.bare(White) && p.bare(Black) {
		return p, fmt.Errorf("no pieces on the board")
	}
	return p, nil
}

func (p *Position) parseTile(b uint8, token string) error {
	if token == "--" {
		return nil
	}
	const digits = "0123456789abcdef"
	if len(token) != 2 || strings.IndexByte(digits, token[0]) < 0 || strings.IndexByte(digits, token[1]) < 0 {
		return fmt.Errorf("not -- or two lower-case hexadecimal digits")
	}
	mask := strings.IndexByte(digits, token[0])<<4 | strings.IndexByte(digits, token[1])
	if mask > 0x3f {
		return fmt.Errorf("above 3f, though a tile has six fields")
	}
	p.tiles |= 1 << b
	for f := range p.fields {
		p.fields[f] |= uint32(mask) >> f & 1 << b
	}
	return nil
}

// String returns the position string (0.2).
func (p *Position) String() string {
	out := make([]byte, 0, 3*tileCount+8)
	for i, b := range geo.bit {
		if i > 0 {
			out = append(out, '.')
		}
		if p.tiles>>b&1 == 0 {
			out = append(out, "--"...)
			continue
		}
		mask := uint32(0)
		for f := range p.fields {
			mask |= p.fields[f] >> b & 1 << f
		}
		out = append(out, "0123456789abcdef"[mask>>4], "0123456789abcdef"[mask&15])
	}
	out = append(out, ' ', "wb"[p.turn])
	for _, n := range p.hand {
		out = append(out, ' ')
		out = strconv.AppendInt(out, int64(n), 10)
	}
	return string(out)
}

// ActionString returns the notation of a turn (0.1): "d1e-d1c" or "xa3f".
func (p *Position) ActionString(a env.Action) string {
	t := turns[p.turn][a]
	if a >= exchangePlane*gridCells {
		return "x" + fieldName(t.from, t.start)
	}
	return fieldName(t.from, t.start) + "-" + fieldName(t.to, t.goal)
}

// Result returns the result under the base rule: "*" while both sides have pieces, and
// "1-0" or "0-1" once one side has lost its last.
func (p *Position) Result() string {
	switch {
	case p.bare(Black):
		return "1-0"
	case p.bare(White):
		return "0-1"
	}
	return "*"
}

// Child is a turn and its outcome in the format of the golden records (0.3).
type Child struct {
	Move      string   `json:"move"`
	After     string   `json:"after"`     // position string
	Captured  []string `json:"captured"`  // fields emptied by enclosure, sorted
	Removed   []string `json:"removed"`   // tiles that left the board, sorted
	Collected int      `json:"collected"` // tiles the mover gained; 0 for an exchange
	Result    string   `json:"result"`    // by the base rule
}

// Children returns every legal turn with its outcome, sorted by notation.
func (p *Position) Children() []Child {
	children := []Child{}
	for _, a := range p.Legal(nil) {
		after := *p
		e := after.play(a)
		c := Child{Move: p.ActionString(a), After: after.String(), Result: after.Result(), Captured: []string{}, Removed: []string{}}
		for i, m := range e.captured {
			for ; m != 0; m &= m - 1 {
				c.Captured = append(c.Captured, fieldName(uint8(2*i)+uint8(1-after.turn), uint8(bits.TrailingZeros32(m))))
			}
		}
		for m := e.removed; m != 0; m &= m - 1 {
			c.Removed = append(c.Removed, geo.name[bits.TrailingZeros32(m)])
		}
		slices.Sort(c.Captured)
		slices.Sort(c.Removed)
		if a < exchangePlane*gridCells {
			c.Collected = len(c.Removed)
		}
		children = append(children, c)
	}
	slices.SortFunc(children, func(a, b Child) int { return strings.Compare(a.Move, b.Move) })
	return children
}

// Record contains the legal turns of a position, sorted, and their outcomes. There are none
// if the game is over under the base rule.
type Record struct {
	Position string   `json:"pos"`
	Legal    []string `json:"legal"`
	Result   string   `json:"result"`
	Children []Child  `json:"children"`
}

// Record returns the record of the position.
func (p *Position) Record() Record {
	r := Record{Position: p.String(), Legal: []string{}, Result: p.Result(), Children: p.Children()}
	for _, c := range r.Children {
		r.Legal = append(r.Legal, c.Move)
	}
	return r
}

// Record implements env.TurnRecorder with the record of the position, whose results follow
// the base rule.
func (s *State) Record() any { return s.pos.Record() }
