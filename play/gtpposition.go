package play

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// engineOf returns the engine of a game string.
func (g *gtpEngine) engineOf(game string) (Engine, error) {
	switch {
	case game == g.Game.Spec().Name:
		return g.Engine, nil
	case g.WithGame == nil:
		return Engine{}, errors.New("the game cannot be changed")
	}
	e, err := g.WithGame(game)
	if err != nil {
		return e, err
	}
	if _, ok := e.Game.(env.GTPGame); !ok {
		return e, fmt.Errorf("%s is not played by GTP", e.Game.Spec().Name)
	}
	return e, nil
}

// startGame begins a game of e at p.
func (g *gtpEngine) startGame(e Engine, p position) error {
	if old := g.Engine; e.Game.Spec().Name != old.Game.Spec().Name {
		g.Engine = e
		if err := g.makePlayers(); err != nil {
			g.Engine = old
			return errors.Join(err, g.makePlayers())
		}
	}
	g.newGame()
	g.position, g.past = p, nil
	g.clock.begin()
	return nil
}

// withOption returns the engine of the game with another value of an option.
func (g *gtpEngine) withOption(name, value string) (Engine, error) {
	game, err := env.WithOptions(g.Game.Spec().Name, name+"="+value)
	if err != nil {
		return Engine{}, err
	}
	return g.engineOf(game)
}

func (g *gtpEngine) boardSize(args []string) (string, error) {
	if args[0] == gtpSetting(g.Game, "boardsize") {
		return g.clearBoard(nil)
	}
	e, err := g.withOption("size", args[0])
	if err != nil {
		return "", fmt.Errorf("unacceptable size: %w", err)
	}
	return "", g.startGame(e, position{state: e.Game.New()})
}

func (g *gtpEngine) clearBoard([]string) (string, error) {
	return "", g.startGame(g.Engine, position{state: g.Game.New()})
}

// komi sets komi during a game, too. Games without any accept all.
func (g *gtpEngine) komi(args []string) (string, error) {
	x, err := strconv.ParseFloat(args[0], 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", errSyntax
	}
	value, old := strconv.FormatFloat(x, 'f', -1, 64), gtpSetting(g.Game, "komi")
	if old == "" || old == value {
		return "", nil
	}
	e, err := g.withOption("komi", value)
	if err != nil {
		return "", fmt.Errorf("unacceptable komi: %w", err)
	}
	p, err := positionAt(e.Game, g.from, g.history)
	if err != nil {
		return "", err
	}
	past, clock := g.past, g.clock
	err = g.startGame(e, p)
	g.past, g.clock = past, clock
	return "", err
}

// set makes p the current position, from which undo leads back.
func (g *gtpEngine) set(p position) {
	g.past = append(g.past, g.position)
	g.position = p
}

// seat returns the player of a colour.
func (g *gtpEngine) seat(colour string) (env.Player, error) {
	for seat := range env.Player(g.Game.Spec().Players) {
		if name := env.SeatName(g.Game, seat); strings.EqualFold(colour, name) || strings.EqualFold(colour, name[:1]) {
			return seat, nil
		}
	}
	return 0, fmt.Errorf("%w: unknown colour %q", errSyntax, clip(colour))
}

// errOver is the error of a move after the end of a game that cannot be resumed.
var errOver = errors.New("the game is over")

// resume continues a game that passes or a bound on plies have ended.
func (p *position) resume(game env.Game) error {
	q, ok := p.state.(env.Positioner)
	if !ok {
		return errOver
	}
	next, err := positionAt(game, q.Position(), nil)
	if err != nil {
		return err
	}
	if _, over := next.state.Result(); over {
		return errOver
	}
	*p = next
	return nil
}

// before returns the current position with a seat on turn, for which the other one passes.
// A game that two passes have ended continues.
func (g *gtpEngine) before(seat env.Player) (p position, err error) {
	p = g.position
	if _, over := p.state.Result(); over {
		err = p.resume(g.Game)
	}
	if err != nil || p.state.Turn() == seat {
		return p, err
	}
	pass, err := env.ParseAction(p.state, "pass")
	if err != nil {
		return p, fmt.Errorf("it is the turn of %s, who may not pass", env.SeatName(g.Game, p.state.Turn()))
	}
	p.play(g.Game, pass)
	if _, over := p.state.Result(); over { // the seat had passed already
		err = p.resume(g.Game)
	}
	if err == nil && p.state.Turn() != seat {
		err = errOver
	}
	return p, err
}

// playMove executes play COLOUR VERTEX.
func (g *gtpEngine) playMove(args []string) (string, error) {
	seat, err := g.seat(args[0])
	if err != nil {
		return "", err
	}
	p, err := g.before(seat)
	if err != nil {
		return "", fmt.Errorf("illegal move: %w", err)
	}
	a, err := env.ParseAction(p.state, strings.ToLower(args[1]))
	if err != nil {
		return "", errors.New("illegal move")
	}
	p.play(g.Game, a)
	g.set(p)
	return "", nil
}

func (g *gtpEngine) undo([]string) (string, error) {
	last := len(g.past) - 1
	if last < 0 {
		return "", errors.New("cannot undo")
	}
	p, err := positionAt(g.Game, g.past[last].from, g.past[last].history) // komi may have changed since
	if err == nil {
		g.position, g.past = p, g.past[:last]
	}
	return "", err
}

// finalScore counts the board as it is.
func (g *gtpEngine) finalScore([]string) (string, error) {
	lead := g.Game.(env.GTPGame).Lead(g.state)
	winner := env.Player(0)
	switch {
	case lead == 0:
		return "0", nil
	case lead < 0:
		winner, lead = 1, -lead
	}
	return fmt.Sprintf("%s+%.1f", env.SeatName(g.Game, winner)[:1], lead), nil
}

// finalStatusList lists the chains with a status, one per line. All are alive, as the score counts
// them.
func (g *gtpEngine) finalStatusList(args []string) (string, error) {
	if !slices.Contains([]string{"alive", "dead", "seki"}, args[0]) {
		return "", errSyntax
	}
	if args[0] != "alive" {
		return "", nil
	}
	var lines []string
	for _, chain := range g.Game.(env.GTPGame).Stones(g.state) {
		lines = append(lines, strings.Join(g.vertices(chain), " "))
	}
	return strings.Join(lines, "\n"), nil
}

// vertices returns the names of actions.
func (g *gtpEngine) vertices(actions []env.Action) (names []string) {
	for _, a := range actions {
		names = append(names, strings.ToUpper(g.state.ActionString(a)))
	}
	return names
}

func (g *gtpEngine) showBoard([]string) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(env.Draw(g.state, env.Screen{})) {
		if strings.TrimSpace(line) != "" { // an empty line would end the answer
			b.WriteString("\n" + strings.TrimRight(line, "\n"))
		}
	}
	return b.String(), nil
}

// handicap puts stones on fixed places. If free, it may put fewer than are asked for.
func (g *gtpEngine) handicap(number string, free bool) (string, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", errSyntax
	}
	stones := g.vertices(g.Game.(env.Handicapper).Handicap(min(n, math.MaxInt16)))
	if n < 2 || len(stones) < 2 || len(stones) < n && !free {
		return "", errors.New("invalid number of stones")
	}
	return strings.Join(stones, " "), g.setHandicap(stones)
}

func (g *gtpEngine) setHandicap(vertices []string) error {
	if len(g.history) > 0 || g.from != "" || g.state.Hash() != g.Game.New().Hash() || g.state.Turn() != 0 {
		return errors.New("board not empty")
	}
	p := g.position
	for i, name := range vertices {
		names := []string{strings.ToLower(name)}
		if i > 0 {
			names = []string{"pass", names[0]} // of the other player
		}
		for _, name := range names {
			a, err := env.ParseAction(p.state, name)
			if err != nil || name == "pass" && p.state.Turn() == 0 {
				return errors.New("bad vertex list")
			}
			p.play(g.Game, a)
		}
	}
	q, ok := p.state.(env.Positioner)
	if len(vertices) < 2 || !ok {
		return errors.New("bad vertex list")
	}
	p, err := positionAt(g.Game, q.Position(), nil)
	if err == nil {
		g.set(p) // clients undo handicap like a move
	}
	return err
}

// loadSGF executes loadsgf FILE [MOVE]: it loads a game up to the position before the move.
func (g *gtpEngine) loadSGF(args []string) (string, error) {
	plies := math.MaxInt
	if last := len(args) - 1; last > 0 {
		if n, err := strconv.Atoi(args[last]); err == nil && n > 0 {
			plies, args = n-1, args[:last]
		}
	}
	if len(args) == 0 {
		return "", errSyntax
	}
	if err := g.load(strings.Join(args, " "), plies); err != nil {
		return "", fmt.Errorf("cannot load file: %w", err)
	}
	return strings.ToLower(env.SeatName(g.Game, g.state.Turn())), nil
}

// load loads the first plies of the game in a file.
func (g *gtpEngine) load(file string, plies int) error {
	data, err := g.ReadFile(file)
	if err != nil {
		return err
	}
	name, ok := RecordGame(data)
	if !ok {
		return errors.New("it is no game")
	}
	e, err := g.engineOf(name)
	if err != nil {
		return err
	}
	r, err := ReadRecord(e.Game, data)
	if err != nil {
		return err
	}
	from, err := r.from()
	if err != nil {
		return err
	}
	p, err := positionAt(e.Game, from, r.History[:min(plies, len(r.History))])
	if err != nil {
		return err
	}
	if err := g.startGame(e, p); err != nil {
		return err
	}
	for ply := range p.history {
		g.past = append(g.past, position{from: from, history: p.history[:ply]})
	}
	return nil
}
