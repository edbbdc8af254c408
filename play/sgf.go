package play

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format/sgf"
)

// Games of Go are also read and written as SGF. The board is a square, columns are letters
// from the left and rows from the top, and moves and positions are in the notation of
// package igo.

// sgfColumns are the letters of columns in the notation of Go.
const sgfColumns = "abcdefghjklmnopqrstuvwxyz"

// sgfGame is a game with the properties of its first node.
type sgfGame struct {
	root  sgf.Node
	moves []sgf.Node
	size  int
	komi  string // "" if unknown
}

func readSGF(data []byte) (g sgfGame, err error) {
	nodes, err := sgf.Main(data)
	if err != nil {
		return g, err
	}
	g = sgfGame{root: nodes[0], moves: nodes[1:], size: 19}
	if kind := g.root.Text("GM"); kind != "" && strings.TrimSpace(kind) != "1" {
		return g, fmt.Errorf("SGF: GM[%s] must be GM[1], a game of Go", clip(kind))
	}
	if text := g.root.Text("SZ"); text != "" {
		columns, rows, two := strings.Cut(text, ":")
		n, err := strconv.Atoi(strings.TrimSpace(columns))
		if err != nil || n < 1 || n > len(sgfColumns) || two && rows != columns {
			return g, fmt.Errorf("SGF: SZ[%s] must be a square of 1 to %d lines", clip(text), len(sgfColumns))
		}
		g.size = n
	}
	if text := g.root.Text("KM"); text != "" {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return g, fmt.Errorf("SGF: KM[%s] must be a number", clip(text))
		}
		g.komi = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return g, nil
}

// name returns the game string, without the defaults of Go.
func (g *sgfGame) name() string {
	var options []string
	if g.size != 9 {
		options = append(options, fmt.Sprintf("size=%d", g.size))
	}
	if g.komi != "" && g.komi != "7" {
		options = append(options, "komi="+g.komi)
	}
	return strings.TrimSuffix("go:"+strings.Join(options, ","), ":")
}

// fits reports whether the game is of these rules.
func (g *sgfGame) fits(game env.Game) error {
	size, komi := gtpSetting(game, "boardsize"), gtpSetting(game, "komi")
	if gtpSetting(game, "fixed_handicap") != "" {
		return fmt.Errorf("SGF: %s begins with stones of its own", game.Spec().Name)
	}
	if komi == "" || size != strconv.Itoa(g.size) || g.komi != "" && g.komi != komi {
		return fmt.Errorf("SGF: a game of %s; this is %s", g.name(), game.Spec().Name)
	}
	return nil
}

// point returns the name of a point, or pass.
func (g *sgfGame) point(text string) (string, error) {
	if text == "" || text == "tt" && g.size <= 19 {
		return "pass", nil
	}
	if len(text) != 2 || text[0] < 'a' || text[1] < 'a' || int(text[0]-'a') >= g.size || int(text[1]-'a') >= g.size {
		return "", fmt.Errorf("[%s] must be a point such as [cd], or [] for a pass", clip(text))
	}
	return sgfColumns[text[0]-'a':][:1] + strconv.Itoa(g.size-int(text[1]-'a')), nil
}

// position returns the position that the game begins with, "" if it is the empty board with
// Black on turn.
func (g *sgfGame) position() (string, error) {
	rows := make([][]byte, g.size)
	for i := range rows {
		rows[i] = []byte(strings.Repeat(".", g.size))
	}
	stones := map[byte]int{}
	for i, name := range [...]string{"AB", "AW"} {
		stone := "XO"[i]
		for _, value := range g.root.Get(name) {
			first, last, area := strings.Cut(value, ":")
			if !area {
				last = first
			}
			for _, corner := range []string{first, last} {
				if p, err := g.point(corner); err != nil || p == "pass" {
					return "", fmt.Errorf("SGF: %s[%s] must be points of the board", name, clip(value))
				}
			}
			for row := first[1]; row <= last[1]; row++ {
				for column := first[0]; column <= last[0]; column++ {
					at := &rows[row-'a'][column-'a']
					if *at != '.' {
						return "", fmt.Errorf("SGF: %s[%s]: there is a stone already", name, clip(value))
					}
					*at = stone
					stones[stone]++
				}
			}
		}
	}
	turn := "b"
	switch first := append(g.moves, nil)[0]; {
	case g.root.Get("PL") != nil:
		turn = strings.ToLower(g.root.Text("PL"))
	case first.Get("B") != nil:
	case first.Get("W") != nil, stones['X'] > 0 && stones['O'] == 0:
		turn = "w"
	}
	if len(stones) == 0 && turn == "b" {
		return "", nil
	}
	var text []string
	for _, row := range rows {
		text = append(text, string(row))
	}
	return strings.Join(text, "/") + " " + turn[:min(1, len(turn))], nil
}

// table returns the game played.
func (g *sgfGame) table(game env.Game) (*Table, error) {
	if err := g.fits(game); err != nil {
		return nil, err
	}
	position, err := g.position()
	if err != nil {
		return nil, err
	}
	start, err := PositionAfter(game, position, nil)
	if err != nil {
		return nil, fmt.Errorf("SGF: %w", err)
	}
	seats := []string{g.root.Text("PB"), g.root.Text("PW")}
	t := NewTable(game, seats, start)
	if err := g.play(t); err != nil {
		return nil, err
	}
	winner, how, _ := strings.Cut(g.root.Text("RE"), "+")
	if _, over := t.State().Result(); !over && (how == "R" || how == "Resign") && winner == "BW"[1-t.State().Turn():][:1] && t.Occupant() == Human {
		err = t.Resign()
	}
	return t, err
}

// play plays the moves of the game.
func (g *sgfGame) play(t *Table) error {
	for i, node := range g.moves {
		for seat, colour := range [...]string{"B", "W"} {
			if node.Get("A"+colour) != nil {
				return fmt.Errorf("SGF: node %d: stones are put on the board during the game", i+2)
			}
			if node.Get(colour) == nil {
				continue
			}
			name, err := g.point(node.Text(colour))
			if err == nil {
				err = playAs(t, env.Player(seat), name)
			}
			if err != nil {
				return fmt.Errorf("SGF: node %d: %s: %w", i+2, colour, err)
			}
		}
	}
	return nil
}

// playAs plays a move of a player, for whom the other one passes if need be.
func playAs(t *Table, seat env.Player, name string) error {
	names := []string{name}
	if t.State().Turn() != seat {
		names = []string{"pass", name}
	}
	for _, name := range names {
		a, err := env.ParseAction(t.State(), name)
		if err != nil {
			return err
		}
		t.Play(a)
	}
	return nil
}

// title returns the players, the result and the length, for people.
func (g *sgfGame) title(t *Table) string {
	return fmt.Sprintf("Black (%s), White (%s): %s: %s", t.Seats[0], t.Seats[1], cmp.Or(clip(g.root.Text("RE")), "no result"), plural(len(t.History), "ply"))
}

// ErrNoSGF is returned for games that are not written as SGF.
var ErrNoSGF = errors.New("only games of Go are written as SGF")

// SGF returns the game as SGF.
func (t *Table) SGF() ([]byte, error) {
	result := ""
	if seat, ok := t.Resigned(); ok && t.Over() {
		result = sgfResigned(seat)
	}
	return writeSGF(t.Rules, t.Seats, t.States[0], t.History, result)
}

// SGF returns a game of the file as SGF.
func (f *Stored) SGF(g *StoredGame) ([]byte, error) {
	return writeSGF(f.Rules, g.Seats, g.Start, g.History, g.result)
}

// writeSGF returns a game as SGF. If the last position ends the game, its result replaces
// result.
func writeSGF(game env.Game, seats []string, start env.State, history []env.Action, result string) ([]byte, error) {
	gtp, ok := game.(env.GTPGame)
	komi := gtpSetting(game, "komi")
	if !ok || komi == "" {
		return nil, fmt.Errorf("%w, not %s", ErrNoSGF, game.Spec().Name)
	}
	g := sgfGame{size: game.Spec().Height}
	nodes := []sgf.Node{nil}
	at := env.After(game, start)
	for _, a := range history {
		nodes = append(nodes, sgf.Node{{Name: "BW"[at.Turn() : at.Turn()+1], Values: []string{g.write(at.ActionString(a))}}})
		at.Play(a)
	}
	if _, over := at.Result(); over {
		result = sgfResult(gtp.Lead(at))
	}
	for _, p := range [][2]string{
		{"FF", "4"},
		{"GM", "1"},
		{"CA", "UTF-8"},
		{"AP", "Tiro"},
		{"RU", "Chinese"},
		{"SZ", strconv.Itoa(g.size)},
		{"KM", komi},
		{"PB", seats[0]},
		{"PW", seats[1]},
		{"RE", result},
	} {
		if p[1] != "" {
			nodes[0] = append(nodes[0], sgf.Property{Name: p[0], Values: p[1:]})
		}
	}
	if q, ok := start.(env.Positioner); ok {
		nodes[0] = append(nodes[0], g.setup(q.Position())...)
	}
	return sgf.Write(nodes), nil
}

// sgfResult returns the result of a game by Black's lead.
func sgfResult(lead float64) string {
	switch {
	case lead > 0:
		return fmt.Sprintf("B+%g", lead)
	case lead < 0:
		return fmt.Sprintf("W+%g", -lead)
	}
	return "0"
}

// sgfWinner returns the result of a game by its payoffs, and how it ended otherwise than by
// the score.
func sgfWinner(payoffs []float32, how string) string {
	switch {
	case len(payoffs) != 2:
		return ""
	case payoffs[0] > payoffs[1]:
		return "B+" + how
	case payoffs[0] < payoffs[1]:
		return "W+" + how
	}
	return "0"
}

// sgfResigned returns the result of a game that a seat has given up.
func sgfResigned(seat env.Player) string { return [...]string{"W+R", "B+R"}[seat&1] }

// write is the inverse of point.
func (g *sgfGame) write(name string) string {
	column := strings.Index(sgfColumns, name[:1])
	row, err := strconv.Atoi(name[1:])
	if err != nil { // a pass
		return ""
	}
	return string([]byte{'a' + byte(column), 'a' + byte(g.size-row)})
}

// setup returns the properties of a position that is not the start.
func (g *sgfGame) setup(position string) (all []sgf.Property) {
	board, turn, _ := strings.Cut(position, " ")
	stones := map[rune][]string{}
	for row, text := range strings.Split(board, "/") {
		for column, stone := range text {
			stones[stone] = append(stones[stone], string([]byte{'a' + byte(column), 'a' + byte(row)}))
		}
	}
	if black, white := stones['X'], stones['O']; len(black) > 1 && len(white) == 0 && strings.HasPrefix(turn, "w") {
		all = append(all, sgf.Property{Name: "HA", Values: []string{strconv.Itoa(len(black))}})
	}
	for _, p := range []sgf.Property{{Name: "AB", Values: stones['X']}, {Name: "AW", Values: stones['O']}} {
		if len(p.Values) > 0 {
			all = append(all, p)
		}
	}
	if strings.HasPrefix(turn, "w") {
		all = append(all, sgf.Property{Name: "PL", Values: []string{"W"}})
	}
	return all
}
