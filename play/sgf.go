package play

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/env/grid"
	"tiro/format/sgf"
)

// sgfRules is a game that is also read and written as SGF: Go or Othello. Its actions are the
// cells of a square board and a pass.
type sgfRules interface {
	env.GTPGame
	env.Describer
	FromTop(i int) int           // the cell of point i from the upper left
	Text(s grid.Position) string // a position string
}

// sgfGame is a game with the properties of its first node.
type sgfGame struct {
	rules sgfRules // nil until it is known
	root  sgf.Node
	nodes []sgf.Node // with the root
	kind  string     // value of GM
	size  int
	komi  string // "" if unknown
}

// Values of the property GM (FF[4], section 5).
const (
	sgfGo      = "1"
	sgfOthello = "2"
)

// maxSGFSize is the largest size whose points have lower-case letters, without z.
const maxSGFSize = 25

// sgfKind returns the rules of a game and the value of GM, "" if it is not written as SGF.
func sgfKind(game env.Game) (rules sgfRules, kind string) {
	rules, ok := game.(sgfRules)
	switch {
	case !ok:
		return nil, ""
	case gtpSetting(game, "komi") == "":
		return rules, sgfOthello
	}
	return rules, sgfGo
}

func readSGF(nodes []sgf.Node) (g sgfGame, err error) {
	g = sgfGame{root: nodes[0], nodes: nodes, kind: cmp.Or(strings.TrimSpace(nodes[0].Text("GM")), sgfGo), size: 19}
	switch g.kind {
	case sgfGo:
	case sgfOthello:
		g.size = 8
	default:
		return g, fmt.Errorf("GM[%s] must be GM[1], a game of Go, or GM[2], a game of Othello", clip(g.kind))
	}
	if text := g.root.Text("SZ"); text != "" {
		columns, rows, two := strings.Cut(text, ":")
		n, err := strconv.Atoi(strings.TrimSpace(columns))
		if err != nil || n < 1 || n > maxSGFSize || two && rows != columns {
			return g, fmt.Errorf("SZ[%s] must be a square of 1 to %d lines", clip(text), maxSGFSize)
		}
		g.size = n
	}
	if text := g.root.Text("KM"); text != "" && g.kind == sgfGo {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return g, fmt.Errorf("KM[%s] must be a number", clip(text))
		}
		g.komi = strconv.FormatFloat(x, 'f', -1, 64)
	}
	return g, nil
}

// name returns the game string, without the defaults of the game.
func (g *sgfGame) name() string {
	name, size := "go", 9
	if g.kind == sgfOthello {
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

// setRules sets the rules of g to game, which must be the game of the SGF.
func (g *sgfGame) setRules(game env.Game) error {
	rules, kind := sgfKind(game)
	if kind != g.kind || game.Spec().Height != g.size || g.komi != "" && g.komi != gtpSetting(game, "komi") {
		return fmt.Errorf("a game of %s; this is %s", g.name(), game.Spec().Name)
	}
	g.rules = rules
	return nil
}

// action returns the action of a point such as cd, whose letters are column and row from the
// upper left, or of a pass.
func (g *sgfGame) action(text string) (env.Action, error) {
	if text == "" || text == "tt" && g.size <= 19 {
		return env.Action(g.size * g.size), nil
	}
	if len(text) != 2 || text[0] < 'a' || text[1] < 'a' || int(text[0]-'a') >= g.size || int(text[1]-'a') >= g.size {
		return 0, fmt.Errorf("[%s] must be a point such as [cd], or [] for a pass", clip(text))
	}
	return env.Action(g.cell(text[0], text[1])), nil
}

func (g *sgfGame) cell(column, row byte) int {
	return g.rules.FromTop(int(row-'a')*g.size + int(column-'a'))
}

// write is the inverse of action.
func (g *sgfGame) write(a env.Action) string {
	if int(a) == g.size*g.size {
		return ""
	}
	i := g.rules.FromTop(int(a))
	return string([]byte{'a' + byte(i%g.size), 'a' + byte(i/g.size)})
}

// stones is a position without a past.
type stones struct {
	env.State
	at   []int
	turn env.Player
}

func (s *stones) At(cell int) int  { return s.at[cell] }
func (s *stones) Turn() env.Player { return s.turn }

// sgfSeats are the letters of the seats.
const sgfSeats = "BW"

// position returns the position that the game begins with, "" if it is the start position.
func (g *sgfGame) position() (string, error) {
	s := stones{at: make([]int, g.size*g.size)}
	var count [2]int
	for seat, name := range [...]string{"AB", "AW"} {
		for _, value := range g.root.Get(name) {
			first, last, area := strings.Cut(value, ":")
			if !area {
				last = first
			}
			for _, corner := range []string{first, last} {
				if a, err := g.action(corner); err != nil || int(a) == len(s.at) {
					return "", fmt.Errorf("%s[%s] must be points of the board", name, clip(value))
				}
			}
			for row := first[1]; row <= last[1]; row++ {
				for column := first[0]; column <= last[0]; column++ {
					at := &s.at[g.cell(column, row)]
					if *at != 0 {
						return "", fmt.Errorf("%s[%s]: there is a stone already", name, clip(value))
					}
					*at = 1 + seat
					count[seat]++
				}
			}
		}
	}
	first := g.root // with a move, if there is one
	if i := slices.IndexFunc(g.nodes, func(n sgf.Node) bool { return n.Get("B") != nil || n.Get("W") != nil }); i > 0 {
		first = g.nodes[i]
	}
	switch {
	case g.root.Get("PL") != nil:
		text := g.root.Text("PL") + " "
		if s.turn = env.Player(strings.Index(sgfSeats, strings.ToUpper(text[:1]))); s.turn < 0 {
			return "", fmt.Errorf("PL[%s] must be B or W", clip(g.root.Text("PL")))
		}
	case first.Get("B") != nil:
	case first.Get("W") != nil, count[0] > 0 && count[1] == 0:
		s.turn = 1
	}
	if count == [2]int{} && s.turn == 0 {
		return "", nil
	}
	return g.rules.Text(&s), nil
}

// readSGFRecords returns the main lines of the games of a text.
func readSGFRecords(game env.Game, data []byte) (all []*Record, err error) {
	for nodes, err := range sgf.Games(data) {
		if err != nil {
			return all, err
		}
		r, err := readSGFRecord(game, nodes)
		if err != nil && len(all) > 0 {
			err = fmt.Errorf("game %d: %w", len(all), err)
		}
		if err != nil {
			return all, fmt.Errorf("SGF: %w", err)
		}
		all = append(all, r)
	}
	return all, nil
}

func readSGFRecord(game env.Game, nodes []sgf.Node) (*Record, error) {
	g, err := readSGF(nodes)
	if err == nil {
		err = g.setRules(game)
	}
	if err != nil {
		return nil, err
	}
	position, err := g.position()
	if err != nil {
		return nil, err
	}
	start, err := PositionAfter(game, position, nil)
	if err != nil {
		return nil, err
	}
	if gtpSetting(game, "fixed_handicap") != "" && start.Hash() != game.New().Hash() {
		return nil, fmt.Errorf("the game does not begin with the stones of %s", game.Spec().Name)
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

// sgfEndings are the endings in results of games that do not end by their moves. The first
// word is written.
var sgfEndings = []struct{ letter, word, ending string }{
	{"R", "Resign", Resignation}, {"F", "Forfeit", arena.Forfeited}, {"T", "Time", arena.TimeForfeit},
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
	for _, e := range sgfEndings {
		if how == e.letter || how == e.word {
			r.Ending = e.ending
		}
	}
}

// play plays the moves of the game.
func (g *sgfGame) play(t *Table) error {
	for i, node := range g.nodes { // some programs write the first move in the root
		if i > 0 && (node.Get("AB") != nil || node.Get("AW") != nil || node.Get("AE") != nil) {
			return fmt.Errorf("node %d: the board is changed without a move during the game", i+1)
		}
		for seat, colour := range strings.Split(sgfSeats, "") {
			if node.Get(colour) == nil {
				continue
			}
			a, err := g.action(node.Text(colour))
			if err == nil {
				err = playAs(t, env.Player(seat), g.rules.ActionName(0, a))
			}
			if err != nil {
				return fmt.Errorf("node %d: %s: %w", i+1, colour, err)
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
	rules, kind := sgfKind(r.Rules)
	if rules == nil {
		return nil, fmt.Errorf("%w, not %s", ErrNoSGF, r.Rules.Spec().Name)
	}
	g := sgfGame{rules: rules, size: r.Rules.Spec().Height}
	nodes := []sgf.Node{nil}
	at := env.After(r.Rules, r.Start)
	for _, a := range r.History {
		seat := at.Turn()
		nodes = append(nodes, sgf.Node{{Name: sgfSeats[seat : seat+1], Values: []string{g.write(a)}}})
		at.Play(a)
	}
	result := cmp.Or(r.sgf, r.sgfResult())
	if _, over := at.Result(); over {
		lead := rules.Lead(at)
		result = sgfResult(lead, fmt.Sprintf("%g", math.Abs(lead)))
	}
	ruleset := ""
	if kind == sgfGo {
		ruleset = "Chinese"
	}
	for _, p := range [][2]string{
		{"FF", "4"},
		{"GM", kind},
		{"CA", "UTF-8"},
		{"AP", "Tiro"},
		{"RU", ruleset},
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
	if s, ok := r.Start.(grid.Position); ok {
		nodes[0] = append(nodes[0], g.setup(s)...)
	}
	return sgf.Write(nodes), nil
}

// sgfResult returns the result of a game that Black has won by lead, or lost.
func sgfResult(lead float64, how string) string {
	switch {
	case lead > 0:
		return "B+" + how
	case lead < 0:
		return "W+" + how
	}
	return "0"
}

// sgfResult returns the result of a game that did not end by the score.
func (r *Record) sgfResult() string {
	if r.Payoffs == nil {
		return ""
	}
	how := ""
	for _, e := range sgfEndings {
		if r.Ending == e.ending {
			how = e.letter
		}
	}
	return sgfResult(float64(r.Payoffs[0]), how)
}

// setup returns the properties of a position that is not an empty board with Black on turn.
func (g *sgfGame) setup(s grid.Position) (all []sgf.Property) {
	var points [3][]string // by the number of grid.Position.At
	for i := range g.size * g.size {
		cell := g.rules.FromTop(i)
		points[s.At(cell)] = append(points[s.At(cell)], g.write(env.Action(cell)))
	}
	add := func(name string, values ...string) {
		if len(values) > 0 {
			all = append(all, sgf.Property{Name: name, Values: values})
		}
	}
	white := s.Turn() == 1
	if n := len(points[1]); n > 1 && len(points[2]) == 0 && white {
		add("HA", strconv.Itoa(n))
	}
	add("AB", points[1]...)
	add("AW", points[2]...)
	if white {
		add("PL", "W")
	}
	return all
}
