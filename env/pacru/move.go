package pacru

import (
	"fmt"
	"strings"
)

// moveKind is the kind of a turn's first decision.
type moveKind uint8

const (
	nothing moveKind = iota
	sliding
	pincer
	turning // on the spot
	passing
)

// twist is the final turn of a slide across a border.
type twist uint8

const (
	straight twist = iota // no choice: no border crossed, or the chevron removed
	ahead
	left
	right
)

// benefit is the benefit of a move in Pacru.
type benefit uint8

const (
	noBenefit benefit = iota
	onField
	onLink
)

// move is a turn, complete or in progress.
type move struct {
	kind     moveKind
	from, to uint8
	twist    twist
	benefit  benefit
	gained   uint8 // field gained as onField
	met      bool
	gift     uint8 // field marked for the meeting
	angle    int8  // of a turn on the spot, in steps of 45 degrees to the right
	gifts    uint8 // number of fields given back so far
	given    [4]uint8
}

// pack returns a digest of everything that affects the rest of the turn.
func (m *move) pack() uint64 {
	last := uint64(0)
	if m.gifts > 0 {
		last = uint64(m.given[m.gifts-1]) + 1
	}
	return uint64(m.kind) | uint64(m.from)<<8 | uint64(m.to)<<16 | uint64(m.benefit)<<24 |
		uint64(uint8(m.angle))<<32 | uint64(m.gifts)<<40 | last<<48
}

// head returns the beginning of the turn's notation (7.2).
func (m *move) head() string {
	from, to := fieldName(m.from), fieldName(m.to)
	switch m.kind {
	case passing:
		return "pass"
	case turning:
		return from + angleNames[m.angle+2]
	case pincer:
		return from + "x" + to
	}
	return from + "-" + to + [...]string{"", "^", "<", ">"}[m.twist]
}

// angleNames are the notations of turns on the spot from -90 to +90 degrees.
var angleNames = [...]string{"<<", "<", "", ">", ">>"}

// items returns the chosen fields in the notation used in parentheses.
func (m *move) items() (items []string) {
	switch m.benefit {
	case onField:
		items = append(items, fieldName(m.gained))
	case onLink:
		items = append(items, "*")
	}
	if m.met {
		items = append(items, fieldName(m.gift))
	}
	var given set
	for _, f := range m.given[:m.gifts] {
		given.add(f)
	}
	for !given.empty() {
		items = append(items, fieldName(given.pop()))
	}
	return items
}

// String returns the notation of a complete turn (7.2).
func (m *move) String() string {
	if items := m.items(); len(items) > 0 {
		return m.head() + "(" + strings.Join(items, ",") + ")"
	}
	return m.head()
}

// begun returns the notation of a turn in progress: the beginning of its move string, with
// the parenthesis open and a comma after every item. A meeting without a benefit before it
// begins with a comma.
func (m *move) begun(p phase) string {
	text := m.head() + "("
	for _, item := range m.items() {
		text += item + ","
	}
	if p == meeting && m.benefit == noBenefit {
		text += ","
	}
	return text
}

// parseMove parses the head of a turn and returns the remaining text.
func parseMove(text string) (m move, rest string, err error) {
	if rest, ok := strings.CutPrefix(text, "pass"); ok {
		return move{kind: passing}, rest, nil
	}
	from, rest, err := cutField(text)
	if err != nil {
		return m, "", err
	}
	for _, angle := range [...]int8{-2, 2, -1, 1} { // the longer names first
		if after, ok := strings.CutPrefix(rest, angleNames[angle+2]); ok {
			return move{kind: turning, from: from, to: from, angle: angle}, after, nil
		}
	}
	m.from = from
	switch {
	case strings.HasPrefix(rest, "-"):
		m.kind = sliding
	case strings.HasPrefix(rest, "x"):
		m.kind = pincer
	default:
		return m, "", fmt.Errorf("%.20q after the first field is not -, x, <, <<, > or >>", rest)
	}
	if m.to, rest, err = cutField(rest[1:]); err != nil {
		return m, "", err
	}
	if rest != "" {
		if i := strings.IndexByte("^<>", rest[0]); i >= 0 {
			m.twist = ahead + twist(i)
			rest = rest[1:]
		}
	}
	return m, rest, nil
}

// fieldName returns the name of a field.
func fieldName(f uint8) string { return string([]byte{'a' + f%side, '1' + f/side}) }

// cutField parses a field at the beginning of text.
func cutField(text string) (f uint8, rest string, err error) {
	if len(text) < 2 || text[0] < 'a' || text[0] > 'i' || text[1] < '1' || text[1] > '9' {
		return 0, "", fmt.Errorf("%.2q is not a field (a1 to i9)", text)
	}
	return text[0] - 'a' + side*(text[1]-'1'), text[2:], nil
}

// parseField parses a field.
func parseField(text string) (uint8, error) {
	f, rest, err := cutField(text)
	if err == nil && rest != "" {
		err = fmt.Errorf("%.20q is not a field (a1 to i9)", text)
	}
	return f, err
}
