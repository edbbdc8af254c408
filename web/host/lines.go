package host

import (
	"errors"
	"fmt"
	"slices"

	"tiro/env"
	"tiro/play"
)

// Bounds of the abandoned lines of a game.
const (
	maxLines   = 32    // lines; the oldest is dropped
	maxActions = 20000 // actions of all lines; the oldest line is dropped
	shownTurns = 8     // turns shown of a line, from where it branches off
)

// Variation is an abandoned line, from where it branches off the current line.
type Variation struct {
	Line  int      `json:"line"` // number of the line, for a request
	Ply   int      `json:"ply"`  // number of actions in common with the current line
	Seat  int      `json:"seat"` // seat that moves there
	Turns []string `json:"turns"`
	More  bool     `json:"more"` // whether there are more turns
}

// begins reports whether a line begins with all of part.
func begins(line, part []env.Action) bool { return common(line, part) == len(part) }

func common(a, b []env.Action) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// leave returns to the position after the first keep actions. The abandoned line is kept,
// unless it is part of another line or of an incomplete turn.
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

// back returns to the position after the first to actions.
func (g *game) back(to int) error {
	_, resigned := g.Resigned()
	ply := len(g.History)
	if to < 0 || to > ply || to == ply && !resigned {
		return fmt.Errorf("to must be 0 to %d, not %d", ply-1, to)
	}
	g.leave(to)
	return nil
}

// change switches to another line.
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
