package host

import (
	"errors"
	"fmt"
	"slices"

	"tiro/env"
)

// Bounds of the lines that a game keeps besides the one at hand.
const (
	maxLines   = 32    // the oldest makes room
	maxActions = 20000 // of all lines; likewise
	shownTurns = 8     // of a line, from where it leaves the one at hand
)

// Variation is a line that was left, from where it leaves the one at hand.
type Variation struct {
	Line  int      `json:"line"` // its number, for a request
	Ply   int      `json:"ply"`  // actions that it has in common with the line at hand
	Seat  int      `json:"seat"` // that moves there
	Turns []string `json:"turns"`
	More  bool     `json:"more"` // there are more turns
}

// begins reports whether a line begins with all of part.
func begins(line, part []env.Action) bool {
	return len(part) <= len(line) && slices.Equal(line[:len(part)], part)
}

// common returns how many actions two lines begin with in common.
func common(a, b []env.Action) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// complete reports whether a turn was completed after the first keep actions.
func (g *game) complete(keep int) bool {
	for i := keep + 1; i < len(g.states); i++ {
		whole, ok := g.states[i].(env.Turner)
		_, over := g.states[i].Result()
		if !ok || over || whole.LastTurn() != "" {
			return true
		}
	}
	return false
}

// leave goes back to the position after the first keep actions. The line is kept, unless
// what is left is part of another one, or of a turn that was not completed.
func (g *game) leave(keep int) {
	kept := func(line []env.Action) bool { return begins(line, g.history) }
	if g.complete(keep) && !slices.ContainsFunc(g.lines, kept) {
		g.lines = append(g.lines, slices.Clone(g.history))
		for len(g.lines) > maxLines || g.kept() > maxActions {
			g.lines = g.lines[1:]
		}
	}
	g.history, g.states, g.opinions = g.history[:keep:keep], g.states[:keep+1:keep+1], g.opinions[:keep+1:keep+1]
	g.resigned, g.trouble = nil, ""
}

// kept returns how many actions the lines have in all.
func (g *game) kept() (n int) {
	for _, line := range g.lines {
		n += len(line)
	}
	return n
}

// prune forgets lines that the one at hand has become.
func (g *game) prune() {
	g.lines = slices.DeleteFunc(g.lines, func(line []env.Action) bool { return begins(g.history, line) })
}

// back goes back to the position after so many actions.
func (g *game) back(ply, to int) error {
	switch {
	case ply != len(g.history):
		return ErrLate
	case to < 0 || to > ply || to == ply && g.resigned == nil:
		return fmt.Errorf("back to %d of %d actions; want fewer", to, ply)
	}
	g.leave(to)
	return nil
}

// change goes over to another line.
func (g *game) change(ply, number int) error {
	switch {
	case ply != len(g.history):
		return ErrLate
	case number < 0 || number >= len(g.lines):
		return errors.New("no such line")
	}
	line := g.lines[number]
	g.leave(common(g.history, line))
	for _, a := range line[len(g.history):] {
		g.add(a)
	}
	return nil
}

// variations returns the lines that were left.
func (g *game) variations() []Variation {
	all := []Variation{}
	for number, line := range g.lines {
		at := common(g.history, line)
		if at == len(line) {
			continue
		}
		part := game{offer: g.offer, rules: g.rules, states: g.states[at : at+1 : at+1], opinions: []*opinion{nil}}
		v := Variation{Line: number, Ply: at, Seat: int(g.states[at].Turn())}
		for _, a := range line[at:] {
			part.add(a)
			if len(part.turns()) > shownTurns {
				v.More = true
				break
			}
		}
		for _, t := range part.turns() {
			v.Turns = append(v.Turns, t.Text)
		}
		v.Turns = v.Turns[:min(len(v.Turns), shownTurns)]
		all = append(all, v)
	}
	return all
}

// names returns the names of the actions of a line.
func (g *game) names(line []env.Action) []string {
	names, s := []string{}, g.rules.New()
	for _, a := range line {
		names = append(names, s.ActionString(a))
		s.Play(a)
	}
	return names
}

// readLines reads lines as they are kept.
func (g *game) readLines(lines [][]string) error {
	if len(lines) > maxLines {
		return fmt.Errorf("%d lines; want at most %d", len(lines), maxLines)
	}
	for number, names := range lines {
		var line []env.Action
		s := g.rules.New()
		for i, name := range names {
			a, err := env.ParseAction(s, name)
			if err != nil {
				return fmt.Errorf("line %d, move %d: %w", number+1, i+1, err)
			}
			line = append(line, a)
			s.Play(a)
		}
		g.lines = append(g.lines, line)
	}
	return nil
}
