package pacru

import (
	"fmt"
	"strings"

	"tiro/env"
)

// A colour is the appearance of a seat: the colour of its side in the booklet.
type colour struct {
	name   string
	letter byte   // of its chevrons; markers have the lower-case letter
	ink    string // ANSI: its chevrons on neutral fields and its name
	paper  string // ANSI: its markers, and its chevrons on them
}

// The inks are readable on light and dark backgrounds: Black's is the terminal's default
// colour in bold.
var (
	yellow = colour{"Yellow", 'Y', "\x1b[1;38;5;136m", "\x1b[0;30;48;5;221m"}
	red    = colour{"Red", 'R', "\x1b[1;38;5;160m", "\x1b[0;30;48;5;210m"}
	green  = colour{"Green", 'G', "\x1b[1;38;5;28m", "\x1b[0;30;48;5;114m"}
	black  = colour{"Black", 'B', "\x1b[1m", "\x1b[0;97;48;5;240m"}
)

// colours holds the colours of the seats by number of players (1.1).
var colours = [...][]colour{{green, yellow}, {yellow, red, black}, {yellow, red, green, black}}

// ANSI sequences that do not belong to a seat.
const (
	resetInk   = "\x1b[0m"
	dimInk     = "\x1b[2m"
	pendingInk = "\x1b[4m"    // underlined: the field that a chevron has left in this turn
	newInk     = "\x1b[1;35m" // changed fields
)

var arrows = [directions]string{"↑", "↗", "→", "↘", "↓", "↙", "←", "↖"}

// drawing is a drawing in progress.
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

	besideColumns = 79 // of the board with the text beside it
)

// Draw returns the board, north up, with lines between the borderlands, and beside it the
// seats and a legend. An asterisk marks every changed field. If there is no room beside the
// board, the seats are below it.
func (s *State) Draw(screen env.Screen) string {
	d := &drawing{colour: screen.Colour}
	since, _ := screen.Since.(*State)
	seats := s.seats(screen.Colour)
	var beside []string
	if screen.Columns == 0 || screen.Columns >= besideColumns {
		beside = append(seats, s.legend(screen.Colour)...)
		seats = nil
	}
	d.put(dimInk, fileNames[:len(fileNames)-1])
	d.WriteString("\n")
	d.WriteString(topLine)
	for rank := side - 1; rank >= 0; rank-- {
		d.put(dimInk, fmt.Sprintf("%d ", rank+1))
		for file := range side {
			if file%3 == 0 {
				d.WriteString("│")
			}
			s.drawField(d, uint8(file+side*rank), since)
		}
		d.WriteString("│")
		d.put(dimInk, fmt.Sprintf(" %d", rank+1))
		if line := side - 1 - rank; line < len(beside) && beside[line] != "" {
			d.WriteString(" " + beside[line])
		}
		d.WriteString("\n")
		if rank%3 == 0 && rank > 0 {
			d.WriteString(landLine)
		}
	}
	d.WriteString(lastLine)
	for _, line := range seats {
		d.WriteString(line + "\n")
	}
	if text := s.status(); text != "" {
		d.WriteString(text + "\n")
	}
	return d.String()
}

// drawField draws a field, four columns wide.
func (s *State) drawField(d *drawing, f uint8, since *State) {
	style, text := s.field(f)
	if since != nil && s.content(f) != since.content(f) {
		first, last := text[:len(text)-1], text[len(text)-1:]
		d.put(style, first)
		d.put(newInk, strings.NewReplacer(" ", "*", "]", "*").Replace(last))
		return
	}
	d.put(style, text)
}

// content is the content of a field: a marker or none, a chevron or none.
type content struct {
	owner, seat int
	facing      uint8
}

func (s *State) content(f uint8) content {
	c := content{owner: -1, seat: -1}
	for p := range s.players {
		if s.marks[p].has(f) {
			c.owner = int(p)
		}
	}
	if p, i := s.occupant(f); i >= 0 {
		c.seat, c.facing = int(p), s.chevrons[p][i].facing
	}
	return c
}

// field returns the text of a field, four columns wide, and its style.
func (s *State) field(f uint8) (style, text string) {
	seats := colours[s.players-2]
	switch c := s.content(f); {
	case c.seat >= 0 && c.owner >= 0:
		return seats[c.seat].paper, "[" + string(seats[c.seat].letter) + arrows[c.facing] + "]"
	case c.seat >= 0:
		return seats[c.seat].ink, " " + string(seats[c.seat].letter) + arrows[c.facing] + " "
	case c.owner >= 0:
		return seats[c.owner].paper, " " + strings.ToLower(string(seats[c.owner].letter)) + "  "
	case s.phase != begin && f == s.move.from:
		return pendingInk, " ·  "
	}
	return dimInk, " ·  "
}

// seats returns a line for each seat, with its markers and chevrons.
func (s *State) seats(colour bool) (lines []string) {
	for p, c := range colours[s.players-2] {
		d := drawing{colour: colour}
		d.put(c.ink, fmt.Sprintf("%c %-6s", c.letter, c.name))
		n := s.marks[p].len()
		if s.kind == pacru {
			fmt.Fprintf(&d, " %2d/%d markers", n, s.target())
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
	return lines
}

// legend returns the lines that explain the fields. They end beside the first rank if the
// seats are above them.
func (s *State) legend(colour bool) (lines []string) {
	for range side - 3 - int(s.players) {
		lines = append(lines, "")
	}
	c := colours[s.players-2][0]
	for _, item := range [][2]string{
		{" " + strings.ToLower(string(c.letter)) + "  ", c.name + "'s marker"},
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

// status describes the decision in the middle of a turn, and the remaining length of the
// game if it is known.
func (s *State) status() string {
	name := colours[s.players-2][s.turn].name
	switch {
	case s.ending != unfinished:
		return ""
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
	case s.final != noSeat:
		left := s.left()
		return fmt.Sprintf("The game ends after %d more turn%s.", left, plural(left))
	}
	return ""
}

// Announcement implements env.Narrator. Nothing must be announced.
func (s *State) Announcement() string { return "" }

// Narrate implements env.Narrator. It lists the fields that have changed hands, the
// chevrons that have left the board, the players who are out, and at the end the places.
func (s *State) Narrate(before env.State) string {
	was := before.(*State)
	seats := colours[s.players-2]
	var texts []string
	say := func(text string, fields []string) {
		if len(fields) > 0 {
			texts = append(texts, text+" "+strings.Join(fields, " "))
		}
	}
	var lost []string
	for p, c := range seats {
		var gained []string
		for f := range uint8(fields) {
			here, then := s.content(f), was.content(f)
			if here.owner == p && then.owner != p {
				name := fieldName(f)
				if then.owner >= 0 {
					name += " from " + seats[then.owner].name
				}
				gained = append(gained, name)
			}
			if p == 0 && here.owner < 0 && then.owner >= 0 {
				lost = append(lost, fieldName(f))
			}
		}
		say(c.name+" marks", gained)
	}
	say("neutral again", lost)
	for p, c := range seats {
		switch n := int(was.count[p]) - int(s.count[p]); {
		case n > 0 && s.count[p] == 0:
			texts = append(texts, c.name+" has no chevron left")
		case n > 0:
			texts = append(texts, fmt.Sprintf("%s loses %d chevron%s", c.name, n, plural(n)))
		}
	}
	if s.ending != unfinished && s.players > 2 {
		texts = append(texts, s.places())
	}
	return strings.Join(texts, "; ")
}

// places lists the places of all seats, such as "places: 1 Red, 2 White, 2 Black".
func (s *State) places() string {
	ranking := s.Ranking()
	var texts []string
	for place := range int8(s.players) {
		for p, c := range colours[s.players-2] {
			if ranking[p] == place+1 {
				texts = append(texts, fmt.Sprintf("%d %s", place+1, c.name))
			}
		}
	}
	return "places: " + strings.Join(texts, ", ")
}
