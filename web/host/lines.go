package host

import (
	"errors"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/play"
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

func common(a, b []env.Action) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// leave goes back to the position after the first keep actions. The line is kept, unless
// what is left is part of another one, or of a turn that was not completed.
func (g *game) leave(keep int) {
	kept := func(line []env.Action) bool { return begins(line, g.History) }
	if keep < g.Whole() && !slices.ContainsFunc(g.lines, kept) {
		g.lines = append(g.lines, slices.Clone(g.History))
		for len(g.lines) > maxLines || g.kept() > maxActions {
			g.lines = g.lines[1:]
		}
	}
	g.Rewind(keep)
	g.opinions, g.trouble = g.opinions[:keep+1:keep+1], ""
}

func (g *game) kept() (n int) {
	for _, line := range g.lines {
		n += len(line)
	}
	return n
}

// prune forgets lines that the one at hand has become.
func (g *game) prune() {
	g.lines = slices.DeleteFunc(g.lines, func(line []env.Action) bool { return begins(g.History, line) })
}

// back goes back to the position after so many actions.
func (g *game) back(to int) error {
	_, resigned := g.Resigned()
	ply := len(g.History)
	if to < 0 || to > ply || to == ply && !resigned {
		return fmt.Errorf("back to %d of %d actions; want fewer", to, ply)
	}
	g.leave(to)
	return nil
}

// change goes over to another line.
func (g *game) change(number int) error {
	if number < 0 || number >= len(g.lines) {
		return errors.New("no such line")
	}
	line := g.lines[number]
	g.leave(common(g.History, line))
	g.add(line[len(g.History):]...)
	return nil
}

func (g *game) variations() []Variation {
	all := []Variation{}
	for number, line := range g.lines {
		at := common(g.History, line)
		if at == len(line) {
			continue
		}
		v := Variation{Line: number, Ply: at, Seat: int(g.States[at].Turn())}
		for t := range play.Turns(g.Rules, g.States[at], line[at:]) {
			if v.More = len(v.Turns) == shownTurns; v.More {
				break
			}
			v.Turns = append(v.Turns, t.Text)
		}
		all = append(all, v)
	}
	return all
}
