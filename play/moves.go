package play

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/internal/suggest"
)

// moveNames are the names of legal moves, in plain byte order.
type moveNames []string

func names(s env.State) moveNames {
	var list moveNames
	for _, a := range s.Legal(nil) {
		list = append(list, s.ActionString(a))
	}
	slices.Sort(list)
	return list
}

// find returns the legal action that a person means by text: the one of that
// name, or else one whose name differs in nothing but capitals.
func find(s env.State, text string) (env.Action, bool) {
	if a, err := env.ParseAction(s, text); err == nil {
		return a, true
	}
	for _, a := range s.Legal(nil) {
		if strings.EqualFold(s.ActionString(a), text) {
			return a, true
		}
	}
	return 0, false
}

// read returns the actions that a person means by text: one, or those of a
// complete turn. Capitals do not count.
func read(s env.State, text string) ([]env.Action, bool) {
	if a, ok := find(s, text); ok {
		return []env.Action{a}, true
	}
	t, ok := s.(env.Turner)
	if !ok {
		return nil, false
	}
	actions, err := t.ParseTurn(text)
	if err != nil {
		actions, err = t.ParseTurn(strings.ToLower(text))
	}
	return actions, err == nil
}

// parseTurn returns the actions that a program means by text: those of a
// complete turn, or the one of that name in games without a notation for turns.
func parseTurn(s env.State, text string) ([]env.Action, error) {
	if t, ok := s.(env.Turner); ok {
		return t.ParseTurn(text)
	}
	a, err := env.ParseAction(s, text)
	return []env.Action{a}, err
}

// underWay reports whether the action that led to s has left its turn to be
// completed.
func underWay(s env.State) bool {
	t, ok := s.(env.Turner)
	_, over := s.Result()
	return ok && !over && t.LastTurn() == ""
}

// spell names a sequence of actions from s: by complete turns where the game
// has a notation for them, otherwise and for what then remains one by one.
func spell(game env.Game, s env.State, actions []env.Action) []string {
	at := game.New()
	at.CopyFrom(s)
	var names []string
	begun := 0 // names before this turn
	for _, a := range actions {
		names = append(names, at.ActionString(a))
		at.Play(a)
		if t, ok := at.(env.Turner); ok && t.LastTurn() != "" {
			names = append(names[:begun], t.LastTurn())
			begun = len(names)
		}
	}
	return names
}

// example returns one of the names, or a word for none.
func (m moveNames) example() string {
	if len(m) == 0 {
		return "…, once there is a game"
	}
	return m[0]
}

// lineWidth is how wide a list of moves may be, in characters.
const lineWidth = 78

// columns writes the names as a table, read by rows.
func (m moveNames) columns() string {
	width := 0
	for _, name := range m {
		width = max(width, len(name))
	}
	perLine := max(1, lineWidth/(width+2))
	var b strings.Builder
	for i, name := range m {
		if (i+1)%perLine == 0 || i == len(m)-1 {
			fmt.Fprintf(&b, "  %s\n", name)
		} else {
			fmt.Fprintf(&b, "  %-*s", width, name)
		}
	}
	return b.String()
}

// suggestions is how many moves an objection names.
const suggestions = 8

// objection says why text is no move, and which moves are like it: those that
// begin like it, the longer the better, or else those that differ from it in
// the fewest letters. Capitals do not count.
func objection(legal moveNames, text string) string {
	lower := strings.ToLower(text)
	begin := func(name string) int { return common(strings.ToLower(name), lower) }
	far := func(name string) int { return suggest.Distance(strings.ToLower(name), lower) }
	longest := 0
	for _, name := range legal {
		longest = max(longest, begin(name))
	}
	near := slices.DeleteFunc(slices.Clone(legal), func(name string) bool { return begin(name) < longest })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	more := ""
	if len(near) > suggestions {
		near, more = near[:suggestions], " …"
	}
	return fmt.Sprintf("%q is no legal move and no command; near it: %s%s (moves lists all, help explains)", text, strings.Join(near, " "), more)
}

// clip shortens what a person has typed to what fits in a message.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// common returns how many bytes a and b have in common at the beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
