package pacru

import (
	"fmt"
	"strings"
)

// A colour is how a seat is shown: by the colour of its side in the booklet.
type colour struct {
	name   string
	letter byte   // of its chevrons; markers have the small letter
	ink    string // ANSI: its chevrons on neutral fields and its name
	paper  string // ANSI: its markers, and its chevrons on them
}

var (
	yellow = colour{"Yellow", 'Y', "\x1b[1;93m", "\x1b[0;30;48;5;221m"}
	red    = colour{"Red", 'R', "\x1b[1;91m", "\x1b[0;30;48;5;210m"}
	green  = colour{"Green", 'G', "\x1b[1;92m", "\x1b[0;30;48;5;114m"}
	black  = colour{"Black", 'B', "\x1b[1;97m", "\x1b[0;97;48;5;240m"}
)

// colours are those of the seats, by the number of players (1.1).
var colours = [...][]colour{{green, yellow}, {yellow, red, black}, {yellow, red, green, black}}

// ANSI sequences that no seat has.
const (
	resetInk   = "\x1b[0m"
	dimInk     = "\x1b[2m"
	pendingInk = "\x1b[4m" // underlined: the field that a chevron has left in this turn
)

var arrows = [directions]string{"↑", "↗", "→", "↘", "↓", "↙", "←", "↖"}

// drawing is a drawing under way.
type drawing struct {
	strings.Builder
	colour bool
}

// put writes text in a style, if the drawing has colours.
func (d *drawing) put(style, text string) {
	if !d.colour || style == "" {
		d.WriteString(text)
		return
	}
	d.WriteString(style + text + resetInk)
}

const (
	fileNames = "    a   b   c    d   e   f    g   h   i\n"
	topLine   = "  ┌────────────┬────────────┬────────────┐\n"
	landLine  = "  ├────────────┼────────────┼────────────┤\n"
	lastLine  = "  └────────────┴────────────┴────────────┘\n"
)

// Draw returns the board, north up, with lines between the borderlands, and
// beside it the seats and how to read a field.
func (s *State) Draw(colour bool) string {
	d := &drawing{colour: colour}
	beside := s.beside(colour)
	d.put(dimInk, fileNames[:len(fileNames)-1])
	d.WriteString("\n")
	d.WriteString(topLine)
	for rank := side - 1; rank >= 0; rank-- {
		d.put(dimInk, fmt.Sprintf("%d ", rank+1))
		for file := range side {
			if file%3 == 0 {
				d.WriteString("│")
			}
			s.drawField(d, uint8(file+side*rank))
		}
		d.WriteString("│")
		d.put(dimInk, fmt.Sprintf(" %d", rank+1))
		if line := side - 1 - rank; line < len(beside) && beside[line] != "" {
			d.WriteString("   " + beside[line])
		}
		d.WriteString("\n")
		if rank%3 == 0 && rank > 0 {
			d.WriteString(landLine)
		}
	}
	d.WriteString(lastLine)
	return d.String()
}

// drawField draws a field, four columns wide.
func (s *State) drawField(d *drawing, f uint8) {
	owner := -1
	for p := range s.players {
		if s.marks[p].has(f) {
			owner = int(p)
		}
	}
	seats := colours[s.players-2]
	p, i := s.occupant(f)
	switch {
	case i >= 0:
		text := string(seats[p].letter) + arrows[s.chevrons[p][i].facing]
		if owner >= 0 {
			d.put(seats[p].paper, "["+text+"]")
			return
		}
		d.WriteString(" ")
		d.put(seats[p].ink, text)
		d.WriteString(" ")
	case owner >= 0:
		d.put(seats[owner].paper, " "+strings.ToLower(string(seats[owner].letter))+"  ")
	case s.phase != begin && f == s.move.from:
		d.put(pendingInk, " ·  ")
	default:
		d.put(dimInk, " ·  ")
	}
}

// beside returns the lines to the right of the ranks, the ninth first.
func (s *State) beside(colour bool) (lines []string) {
	seats := colours[s.players-2]
	for p, c := range seats {
		d := drawing{colour: colour}
		d.put(c.ink, fmt.Sprintf("%c %-6s", c.letter, c.name))
		n := s.marks[p].len()
		if s.kind == pacru {
			fmt.Fprintf(&d, " %2d of %d markers", n, s.target())
		} else {
			fmt.Fprintf(&d, " %2d marker%s", n, plural(n))
		}
		if k := int(s.count[p]); k > 0 {
			fmt.Fprintf(&d, ", %d chevron%s", k, plural(k))
		} else if s.kind == pacru {
			d.WriteString(", out")
		}
		lines = append(lines, d.String())
	}
	lines = append(lines, "", s.status())
	for len(lines) < side-3 {
		lines = append(lines, "")
	}
	c := seats[0]
	small := strings.ToLower(string(c.letter))
	for _, item := range [][2]string{
		{" " + small + "  ", c.name + "'s marker"},
		{" " + string(c.letter) + "↑ ", "chevron on a neutral field"},
		{"[" + string(c.letter) + "↑]", "chevron on an own marker"},
	} {
		d := drawing{colour: colour}
		d.put(dimInk, item[0]+" "+item[1])
		lines = append(lines, d.String())
	}
	return lines
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// status says who is on turn and what he is to decide, or how the game ended.
func (s *State) status() string {
	seats := colours[s.players-2]
	name := seats[s.turn].name
	switch {
	case s.ending != unfinished:
		return s.verdict()
	case s.phase == benefiting:
		text := name + ": " + s.move.begun(s.phase) + "…; choose a field for a marker"
		if _, linked, _ := s.benefits(); linked {
			text += ", or * to connect"
		}
		return text
	case s.phase == meeting:
		return name + ": " + s.move.begun(s.phase) + "…; choose a field for the meeting, or skip"
	case s.phase == giving:
		return fmt.Sprintf("%s: %s…; %d more to make neutral", name, s.move.begun(s.phase), s.owed())
	case s.final != nobody:
		left := s.left()
		return fmt.Sprintf("%s to move; the game ends after %d more turn%s", name, left, plural(left))
	}
	return name + " to move"
}

func (s *State) verdict() string {
	var names []string
	for p, c := range colours[s.players-2] {
		if s.winners>>p&1 == 1 {
			names = append(names, c.name)
		}
	}
	last := len(names) - 1
	if last == 0 {
		return names[0] + " has won: " + s.Ending()
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " share the win: " + s.Ending()
}
