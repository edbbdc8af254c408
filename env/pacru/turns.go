package pacru

import (
	"fmt"
	"slices"
	"strings"

	"tiro/env"
)

// ActionString returns the notation of an action: in Shacru and Azacru its move string, in
// Pacru the part that it decides, such as "a3-b4", "a3xb4" or "a3<<", then "c5" or "*",
// then "h2" or "skip".
func (s *State) ActionString(a env.Action) string {
	plane, f := int(a)/fields, uint8(int(a)%fields)
	switch {
	case s.kind != pacru && a == s.pass():
		return "pass"
	case plane < s.slidePlanes():
		return s.slideString(s.slideOf(a))
	case plane < benefitPlane:
		return fieldName(f) + angleNames[spotAngles[plane-spotPlane]+2]
	case plane == linkPlane:
		return "*"
	case plane == skipPlane:
		return "skip"
	}
	return fieldName(f)
}

func (s *State) slideString(m slide) string {
	record := move{kind: sliding, from: m.from, to: m.to}
	switch {
	case s.kind == pacru && s.taken.has(m.to):
		record.kind = pincer
	case s.kind != pacru && s.twistable(m.from, m.d, 1<<(m.k-1)) != 0:
		record.twist = ahead + twist(m.twist)
	}
	return record.head()
}

// Prompt implements env.Turner.
func (s *State) Prompt() string {
	switch s.phase {
	case benefiting:
		gains, linked, _ := s.benefits()
		text := "a field of the borderland to turn to your colour"
		switch {
		case gains.empty():
			text = ""
		case !gains.and(s.neutral()).empty():
			text = "a neutral field of the borderland to mark"
		}
		if linked && text != "" {
			text += ", or "
		}
		if linked {
			text += "* for the fields that you have connected"
		}
		return text
	case meeting:
		return "a field to mark for the meeting, or skip"
	case giving:
		return fmt.Sprintf("a field to give back for the turn on the spot (%d of %d)", s.move.gifts+1, cost(s.move.angle))
	}
	return ""
}

// LastTurn implements env.Turner. Position strings do not contain it.
func (s *State) LastTurn() string {
	if s.move.kind == nothing || s.phase != begin {
		return ""
	}
	return s.move.String()
}

// Turn is a complete turn: all decisions of a player until the next player is on turn.
type Turn struct {
	Move    string       // move string (7.2)
	Actions []env.Action // actions of the turn
	After   State
}

// Turns returns all complete turns except turns on the spot, sorted by move string. In the
// middle of a turn on the spot it returns its completions.
func (s *State) Turns() []Turn {
	var all []Turn
	s.complete(false, nil, func(t Turn) { all = append(all, t) })
	slices.SortFunc(all, func(a, b Turn) int { return strings.Compare(a.Move, b.Move) })
	return all
}

// complete calls visit with every completion of the turn, including turns on the spot only
// if onSpot is set.
func (s *State) complete(onSpot bool, before []env.Action, visit func(Turn)) {
	for _, a := range s.Legal(nil) {
		if !onSpot && s.phase == begin && s.onSpot(a) {
			continue
		}
		child := *s
		child.Play(a)
		actions := append(slices.Clone(before), a)
		if child.turns == s.turns {
			child.complete(onSpot, actions, visit)
		} else {
			visit(Turn{child.move.String(), actions, child})
		}
	}
}

// onSpot reports whether an action begins a turn on the spot.
func (s *State) onSpot(a env.Action) bool {
	plane := int(a) / fields
	return s.kind == pacru && plane >= spotPlane && plane < benefitPlane
}

// SpotTurns returns the number of complete turns on the spot (4.2).
func (s *State) SpotTurns() uint64 {
	if s.kind != pacru || s.ending != unfinished || s.phase != begin {
		return 0
	}
	k := uint64(s.spare().len())
	return 2 * uint64(s.count[s.turn]) * (choose(k, 2) + choose(k, 4))
}

// choose returns the number of subsets of size k of a set of size n.
func choose(n, k uint64) uint64 {
	c := uint64(1)
	for i := range k {
		c = c * (n - min(n, i)) / (i + 1)
	}
	return c
}

// ParseTurn implements env.Turner.
func (s *State) ParseTurn(text string) ([]env.Action, error) {
	want, rest, err := parseMove(text)
	if err != nil {
		return nil, fmt.Errorf("turn %.100q: %w", text, err)
	}
	var items []string
	if list, ok := strings.CutPrefix(rest, "("); ok {
		items = strings.Split(strings.TrimSuffix(list, ")"), ",")
	}
	t := *s
	var actions []env.Action
	for t.ending == unfinished && t.turns == s.turns {
		name := t.decision(&want, items)
		a, err := env.ParseAction(&t, name)
		if err != nil && t.phase != begin {
			return nil, fmt.Errorf("turn %.100q: %w; %s continues with one of %s", text, env.ErrIllegal, t.move.begun(t.phase), strings.Join(env.Names(&t), " "))
		}
		if err != nil {
			return nil, fmt.Errorf("turn %.100q: %w", text, err)
		}
		actions = append(actions, a)
		t.Play(a)
	}
	if got := t.move.String(); len(actions) == 0 || got != text {
		return nil, fmt.Errorf("turn %.100q: %w; did you mean %s?", text, env.ErrIllegal, got)
	}
	return actions, nil
}

// decision returns the notation of the next action of the turn that begins like want and
// chooses items, or "" if that turn makes no choice.
func (s *State) decision(want *move, items []string) string {
	switch s.phase {
	case benefiting:
		if len(items) > 0 {
			return items[0]
		}
	case meeting:
		n := int(bit(s.move.benefit != noBenefit))
		if len(items) > n {
			return items[n]
		}
		return "skip"
	case giving:
		for _, f := range s.order().origin {
			if s.marks[s.turn].has(f) && slices.Contains(items, fieldName(f)) {
				return fieldName(f)
			}
		}
	default:
		return want.head()
	}
	return ""
}

// Record describes a position: all complete turns except those on the spot, sorted, and the
// number of turns on the spot.
type Record struct {
	Position  string  `json:"pos"`
	Result    string  `json:"result"` // see env.FormatResult
	Children  []Child `json:"children"`
	SpotTurns uint64  `json:"spot_turns"`
}

// Child is a complete turn and the position after it.
type Child struct {
	Move  string `json:"move"`
	After string `json:"after"`
}

// Record implements env.TurnRecorder.
func (s *State) Record() any {
	r := Record{Position: s.Position(), Result: env.FormatResult(s, int(s.players)), Children: []Child{}, SpotTurns: s.SpotTurns()}
	for _, t := range s.Turns() {
		r.Children = append(r.Children, Child{t.Move, t.After.Position()})
	}
	return r
}
