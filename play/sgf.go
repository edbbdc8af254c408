package play

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/format/sgf"
)

// Games of Go and Othello are also read and written as SGF. The board is a square, columns are
// letters from the left and rows from the top. Moves and positions are in the notation of
// packages igo and othello.

// sgfColumns are the letters of columns in the notation of Go.
const sgfColumns = "abcdefghjklmnopqrstuvwxyz"

// sgfGame is a game with the properties of its first node.
type sgfGame struct {
	root  sgf.Node
	moves []sgf.Node
	size  int
	komi  string // "" if unknown

	othello bool // whether the game is Othello, otherwise Go
}

// Values of the property GM (FF[4], section 5).
const (
	sgfGo      = "1"
	sgfOthello = "2"
)

// sgfKind returns the value of GM for a game, "" if it is not written as SGF.
func sgfKind(game env.Game) string {
	switch {
	case gtpSetting(game, "boardsize") == "":
		return ""
	case gtpSetting(game, "komi") == "":
		return sgfOthello
	}
	return sgfGo
}

func readSGF(data []byte) (g sgfGame, err error) {
	nodes, err := sgf.Main(data)
	if err != nil {
		return g, err
	}
	g = sgfGame{root: nodes[0], moves: nodes[1:], size: 19}
	switch kind := g.root.Text("GM"); strings.TrimSpace(kind) {
	case "", sgfGo:
	case sgfOthello:
		g.othello, g.size = true, 8
	default:
		return g, fmt.Errorf("SGF: GM[%s] must be GM[1], a game of Go, or GM[2], a game of Othello", clip(kind))
	}
	if text := g.root.Text("SZ"); text != "" {
		columns, rows, two := strings.Cut(text, ":")
		n, err := strconv.Atoi(strings.TrimSpace(columns))
		if err != nil || n < 1 || n > len(sgfColumns) || two && rows != columns {
			return g, fmt.Errorf("SGF: SZ[%s] must be a square of 1 to %d lines", clip(text), len(sgfColumns))
		}
		g.size = n
	}
	if text := g.root.Text("KM"); text != "" && !g.othello {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return g, fmt.Errorf("SGF: KM[%s] must be a number", clip(text))
		}
		g.komi = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return g, nil
}

// name returns the game string, without the defaults of the game.
func (g *sgfGame) name() string {
	name, size := "go", 9
	if g.othello {
		name, size = "othello", 8
	}
	var options []string
	if g.size != size {
		options = append(options, fmt.Sprintf("size=%d", g.size))
	}
	if g.komi != "" && g.komi != "7" {
		options = append(options, "komi="+g.komi)
	}
	return strings.TrimSuffix(name+":"+strings.Join(options, ","), ":")
}

// fits reports whether the game is of these rules.
func (g *sgfGame) fits(game env.Game) error {
	size, komi := gtpSetting(game, "boardsize"), gtpSetting(game, "komi")
	if gtpSetting(game, "fixed_handicap") != "" {
		return fmt.Errorf("SGF: %s begins with stones of its own", game.Spec().Name)
	}
	kind := map[bool]string{false: sgfGo, true: sgfOthello}[g.othello]
	if sgfKind(game) != kind || size != strconv.Itoa(g.size) || g.komi != "" && g.komi != komi {
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
	if g.othello {
		return text[:1] + strconv.Itoa(1+int(text[1]-'a')), nil
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
	turn = turn[:min(1, len(turn))]
	if g.othello {
		return strings.ReplaceAll(strings.Join(text, ""), ".", "-") + " " + strings.NewReplacer("b", "X", "w", "O").Replace(turn), nil
	}
	return strings.Join(text, "/") + " " + turn, nil
}

// readSGFRecords returns the main line of the first game of a text.
func readSGFRecords(game env.Game, data []byte) ([]*Record, error) {
	g, err := readSGF(data)
	if err != nil {
		return nil, err
	}
	r, err := g.record(game)
	return []*Record{r}, err
}

// record returns the game played.
func (g *sgfGame) record(game env.Game) (*Record, error) {
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
	t := NewTable(game, []string{g.root.Text("PB"), g.root.Text("PW")}, start)
	if err := g.play(t); err != nil {
		return nil, err
	}
	r := t.Record()
	r.sgf = g.root.Text("RE")
	if _, over := t.State().Result(); !over {
		r.readSGFResult()
	}
	return r, nil
}

// readSGFResult sets the result of a game that does not end by its moves.
func (r *Record) readSGFResult() {
	winner, how, _ := strings.Cut(r.sgf, "+")
	switch winner {
	case "B":
		r.Payoffs = []float32{1, -1}
	case "W":
		r.Payoffs = []float32{-1, 1}
	case "0", "Draw":
		r.Payoffs = []float32{0, 0}
	}
	switch how {
	case "R", "Resign":
		r.Ending = Resignation
	case "F", "Forfeit":
		r.Ending = arena.Forfeited
	case "T", "Time":
		r.Ending = arena.TimeForfeit
	}
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

// ErrNoSGF is returned for games that are not written as SGF.
var ErrNoSGF = errors.New("only games of Go and Othello are written as SGF")

// SGF returns the game as SGF. If the last position ends the game, its result replaces the
// record's.
func (r *Record) SGF() ([]byte, error) {
	kind, rules := sgfKind(r.Rules), "Chinese"
	if kind == "" {
		return nil, fmt.Errorf("%w, not %s", ErrNoSGF, r.Rules.Spec().Name)
	}
	if kind == sgfOthello {
		rules = ""
	}
	result := cmp.Or(r.sgf, r.sgfResult())
	g := sgfGame{size: r.Rules.Spec().Height, othello: kind == sgfOthello}
	nodes := []sgf.Node{nil}
	at := env.After(r.Rules, r.Start)
	for _, a := range r.History {
		nodes = append(nodes, sgf.Node{{Name: "BW"[at.Turn() : at.Turn()+1], Values: []string{g.write(at.ActionString(a))}}})
		at.Play(a)
	}
	if _, over := at.Result(); over {
		result = sgfResult(r.Rules.(env.GTPGame).Lead(at))
	}
	for _, p := range [][2]string{
		{"FF", "4"},
		{"GM", kind},
		{"CA", "UTF-8"},
		{"AP", "Tiro"},
		{"RU", rules},
		{"SZ", strconv.Itoa(g.size)},
		{"KM", gtpSetting(r.Rules, "komi")},
		{"PB", r.Seats[0]},
		{"PW", r.Seats[1]},
		{"RE", result},
	} {
		if p[1] != "" {
			nodes[0] = append(nodes[0], sgf.Property{Name: p[0], Values: p[1:]})
		}
	}
	if q, ok := r.Start.(env.Positioner); ok {
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

// sgfResult returns the result of a game that did not end by the score.
func (r *Record) sgfResult() string {
	how := ""
	switch r.Ending {
	case Resignation:
		how = "R"
	case arena.Forfeited:
		how = "F"
	case arena.TimeForfeit:
		how = "T"
	}
	switch {
	case r.Payoffs == nil:
		return ""
	case r.Payoffs[0] > 0:
		return "B+" + how
	case r.Payoffs[0] < 0:
		return "W+" + how
	}
	return "0"
}

// write is the inverse of point.
func (g *sgfGame) write(name string) string {
	column := strings.Index(sgfColumns, name[:1])
	row, err := strconv.Atoi(name[1:])
	if err != nil { // a pass
		return ""
	}
	if g.othello {
		return string([]byte{name[0], 'a' + byte(row-1)})
	}
	return string([]byte{'a' + byte(column), 'a' + byte(g.size-row)})
}

// setup returns the properties of a position that is not the start.
func (g *sgfGame) setup(position string) (all []sgf.Property) {
	board, turn, _ := strings.Cut(position, " ")
	turn = strings.Replace(turn, "O", "w", 1) // in Othello
	stones := map[rune][]string{}
	for i, stone := range strings.ReplaceAll(board, "/", "") {
		stones[stone] = append(stones[stone], string([]byte{'a' + byte(i%g.size), 'a' + byte(i/g.size)}))
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
