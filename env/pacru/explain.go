package pacru

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// The rules as templates.
var (
	//go:embed shacru.txt
	shacruText string
	//go:embed azacru.txt
	azacruText string
	//go:embed pacru.txt
	pacruText string
)

var _ env.Explainer = (*Game)(nil)

// Rules returns the rules under the game's options.
func (g *Game) Rules() env.Rules {
	r := &g.start.rules
	seats := colours[r.players-2]
	var names []string
	for _, c := range seats {
		names = append(names, c.name)
	}
	plain, crossing := "e1-e2", "a3-b4" // Green begins a game for two
	if r.players > 2 {
		plain, crossing = "e9-e8", "a7-b6" // Yellow
	}
	meeting := ""
	if r.meeting > 0 {
		meeting = fmt.Sprintf(" This counts only while another player owns %d fields or more.", r.meeting)
	}
	text := strings.NewReplacer(
		"{n}", []string{"two", "three", "four"}[r.players-2],
		"{names}", strings.Join(names, ", "),
		"{first}", names[0],
		"{each}", []string{"three", "four"}[r.eachStarts()-3],
		"{board}", g.start.picture(),
		"{plain}", plain, "{crossing}", crossing,
		"{meeting}", meeting,
		"{target}", strconv.Itoa(r.target()),
		"{limit}", r.limits(),
	).Replace([...]string{shacruText, azacruText, pacruText}[r.kind])
	return env.Rules{Text: text, Moves: r.shown(plain, crossing)}
}

// shown returns the moves in the text.
func (r *rules) shown(plain, crossing string) []env.ShownMove {
	start := []env.ShownMove{{Move: plain}}
	if r.kind != pacru {
		for _, twist := range []string{"<", ">", "^"} {
			start = append(start, env.ShownMove{Move: crossing + twist})
		}
	}
	at := func(chevrons string, own ...string) string {
		marks := []byte(strings.Repeat(".", fields))
		for f := fields - 9; f < fields; f++ { // enough for meeting=9
			marks[f] = '1'
		}
		for _, name := range own {
			f, _ := parseField(name)
			marks[f] = '0'
		}
		return fmt.Sprintf("%d;0;%s;%s,i8:1S;-", r.players, marks, chevrons)
	}
	switch r.kind {
	case azacru:
		return append(start, env.ShownMove{Move: "e1-e3", Position: at("e1:0N", "d1", "d2")})
	case pacru:
		return append(start,
			env.ShownMove{Move: crossing + "(c5)"},
			env.ShownMove{Move: "e1-e3(*)", Position: at("e1:0N", "e1", "e3")},
			env.ShownMove{Move: "e1-e2(h5)", Position: at("e1:0N,e3:0S", "e2", "e3")},
			env.ShownMove{Move: "e1xe2", Position: at("d1:0NE,e1:0N,e2:1S")},
			env.ShownMove{Move: "e1>(d1,d2)", Position: at("e1:0N", "d1", "d2")},
		)
	}
	return start
}

// limits describes the rules that bound the length of games.
func (r *rules) limits() string {
	limit := fmt.Sprintf("%d turns in total", r.maxTurns)
	if r.still > 0 {
		limit = fmt.Sprintf("%d turns in a row in which no field has changed hands, or after %s", r.still, limit)
	}
	return limit
}

// picture draws the chevrons of a position without markers, indented.
func (s *State) picture() string {
	const files = "     a  b  c    d  e  f    g  h  i"
	var b strings.Builder
	b.WriteString(files)
	for rank := side - 1; rank >= 0; rank-- {
		line := fmt.Sprintf("  %d", rank+1)
		for file := range side {
			text := "· "
			if p, i := s.occupant(uint8(file + side*rank)); i >= 0 {
				text = string(colours[s.players-2][p].letter) + arrows[s.chevrons[p][i].facing]
			}
			if file%3 == 0 && file > 0 {
				line += " |"
			}
			line += " " + text
		}
		b.WriteString("\n" + strings.TrimRight(line, " "))
		if rank%3 == 0 && rank > 0 {
			b.WriteString("\n    ----------+----------+----------")
		}
	}
	return b.String()
}
