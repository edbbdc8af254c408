package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// change changes the game string, unless it is the game's already, and stays at the start.
func (g *gtpEngine) change(game string) error {
	if game != g.Game.Spec().Name {
		if g.WithGame == nil {
			return errors.New("the game cannot be changed")
		}
		e, err := g.WithGame(game)
		if err != nil {
			return err
		}
		if _, ok := e.Game.(env.GTPGame); !ok {
			return fmt.Errorf("%s is not played by GTP", e.Game.Spec().Name)
		}
		old := g.Engine
		g.Engine = e
		if err := g.makePlayers(); err != nil {
			g.Engine = old
			return errors.Join(err, g.makePlayers())
		}
	}
	g.newGame()
	g.from, g.past = "", nil
	g.clock.begin()
	return nil
}

// changeOption changes an option of the game.
func (g *gtpEngine) changeOption(name, value string) error {
	game, err := env.WithOptions(g.Game.Spec().Name, name+"="+value)
	if err != nil {
		return err
	}
	return g.change(game)
}

func (g *gtpEngine) boardSize(_ context.Context, args []string) (string, error) {
	if len(args) != 1 {
		return "", errSyntax
	}
	if args[0] == gtpSetting(g.Game, "boardsize") {
		return "", g.change(g.Game.Spec().Name)
	}
	if err := g.changeOption("size", args[0]); err != nil {
		return "", fmt.Errorf("unacceptable size: %w", err)
	}
	return "", nil
}

func (g *gtpEngine) clearBoard(context.Context, []string) (string, error) {
	return "", g.change(g.Game.Spec().Name)
}

// komi sets komi during a game, too. Games without any accept all.
func (g *gtpEngine) komi(_ context.Context, args []string) (string, error) {
	if len(args) != 1 {
		return "", errSyntax
	}
	x, err := strconv.ParseFloat(args[0], 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", errSyntax
	}
	value, old := strconv.FormatFloat(x, 'f', -1, 64), gtpSetting(g.Game, "komi")
	if old == "" || old == value {
		return "", nil
	}
	from, history, past, clock := g.from, g.history, g.past, g.clock
	if err := g.changeOption("komi", value); err != nil {
		return "", fmt.Errorf("unacceptable komi: %w", err)
	}
	g.past, g.clock = past, clock
	return "", g.restore(gtpPosition{from: from, history: history})
}

// restore makes a position the current one. Its state, if any, is of another game.
func (g *gtpEngine) restore(p gtpPosition) error {
	start, err := PositionAfter(g.Game, p.from, nil)
	if err != nil {
		return err
	}
	g.from, g.history, g.state = p.from, p.history, env.After(g.Game, start, p.history...)
	return nil
}

// position returns the current position.
func (g *gtpEngine) position() gtpPosition {
	return gtpPosition{g.from, slices.Clip(g.history), g.state}
}

// play plays an action.
func (p *gtpPosition) play(game env.Game, a env.Action) {
	p.history = append(p.history, a)
	p.state = env.After(game, p.state, a)
}

// set makes p the current position, from which undo leads back.
func (g *gtpEngine) set(p gtpPosition) {
	g.past = append(g.past, g.position())
	g.from, g.history, g.state = p.from, p.history, p.state
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
func (p *gtpPosition) resume(game env.Game) (err error) {
	q, ok := p.state.(env.Positioner)
	if !ok {
		return errOver
	}
	p.from, p.history = q.Position(), nil
	if p.state, err = PositionAfter(game, p.from, nil); err != nil {
		return err
	}
	if _, over := p.state.Result(); over {
		return errOver
	}
	return nil
}

// before returns the current position with a seat on turn, for which the other one passes.
// A game that two passes have ended continues.
func (g *gtpEngine) before(seat env.Player) (p gtpPosition, err error) {
	p = g.position()
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

// play executes play COLOUR VERTEX.
func (g *gtpEngine) play(_ context.Context, args []string) (string, error) {
	if len(args) != 2 {
		return "", errSyntax
	}
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

func (g *gtpEngine) undo(context.Context, []string) (string, error) {
	if len(g.past) == 0 {
		return "", errors.New("cannot undo")
	}
	last := len(g.past) - 1
	p := g.past[last]
	if err := g.restore(p); err != nil { // komi may have changed since
		return "", err
	}
	g.past = g.past[:last]
	return "", nil
}

// finalScore counts the board as it is.
func (g *gtpEngine) finalScore(context.Context, []string) (string, error) {
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
func (g *gtpEngine) finalStatusList(_ context.Context, args []string) (string, error) {
	if len(args) != 1 || !slices.Contains([]string{"alive", "dead", "seki"}, args[0]) {
		return "", errSyntax
	}
	if args[0] != "alive" {
		return "", nil
	}
	var lines []string
	for _, chain := range g.Game.(env.GTPGame).Stones(g.state) {
		var names []string
		for _, a := range chain {
			names = append(names, strings.ToUpper(g.state.ActionString(a)))
		}
		lines = append(lines, strings.Join(names, " "))
	}
	return strings.Join(lines, "\n"), nil
}

func (g *gtpEngine) showBoard(context.Context, []string) (string, error) {
	var b strings.Builder
	for line := range strings.Lines(env.Draw(g.state, env.Screen{})) {
		if strings.TrimSpace(line) != "" { // an empty line would end the answer
			b.WriteString("\n" + strings.TrimRight(line, "\n"))
		}
	}
	return b.String(), nil
}

// handicap puts stones on fixed places. If free, it may put fewer than are asked for.
func handicap(free bool) func(*gtpEngine, context.Context, []string) (string, error) {
	return func(g *gtpEngine, ctx context.Context, args []string) (string, error) {
		if len(args) != 1 {
			return "", errSyntax
		}
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return "", errSyntax
		}
		stones := g.Game.(env.Handicapper).Handicap(min(n, math.MaxInt16))
		if n < 2 || len(stones) < 2 || len(stones) < n && !free {
			return "", errors.New("invalid number of stones")
		}
		var names []string
		for _, a := range stones {
			names = append(names, strings.ToUpper(g.state.ActionString(a)))
		}
		_, err = g.setHandicap(ctx, names)
		return strings.Join(names, " "), err
	}
}

func (g *gtpEngine) setHandicap(_ context.Context, vertices []string) (string, error) {
	if len(g.history) > 0 || g.from != "" || g.state.Hash() != g.Game.New().Hash() || g.state.Turn() != 0 {
		return "", errors.New("board not empty")
	}
	p := gtpPosition{state: g.state}
	for i, name := range vertices {
		names := []string{strings.ToLower(name)}
		if i > 0 {
			names = []string{"pass", names[0]} // of the other player
		}
		for _, name := range names {
			a, err := env.ParseAction(p.state, name)
			if err != nil || name == "pass" && p.state.Turn() == 0 {
				return "", errors.New("bad vertex list")
			}
			p.play(g.Game, a)
		}
	}
	q, ok := p.state.(env.Positioner)
	if len(vertices) < 2 || !ok {
		return "", errors.New("bad vertex list")
	}
	before := g.position()
	if err := g.restore(gtpPosition{from: q.Position()}); err != nil {
		return "", err
	}
	g.past = append(g.past, before) // clients undo handicap like a move
	return "", nil
}

// loadSGF executes loadsgf FILE [MOVE]: it loads a game up to the position before the move.
func (g *gtpEngine) loadSGF(_ context.Context, args []string) (string, error) {
	plies := math.MaxInt
	if last := len(args) - 1; last > 0 {
		if n, err := strconv.Atoi(args[last]); err == nil && n > 0 {
			plies, args = n-1, args[:last]
		}
	}
	if len(args) == 0 {
		return "", errSyntax
	}
	game, position, clock, past := g.Game.Spec().Name, g.position(), g.clock, g.past
	err := g.load(strings.Join(args, " "), plies)
	if err == nil {
		return strings.ToLower(env.SeatName(g.Game, g.state.Turn())), nil
	}
	err = fmt.Errorf("cannot load file: %w", err)
	if back := g.change(game); back != nil {
		return "", errors.Join(err, back)
	}
	g.clock, g.past = clock, past
	return "", errors.Join(err, g.restore(position))
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
	if err := g.change(name); err != nil {
		return err
	}
	r, err := ReadRecord(g.Game, data)
	if err != nil {
		return err
	}
	p := gtpPosition{history: r.History[:min(plies, len(r.History))]}
	if q, ok := r.Start.(env.Positioner); ok && r.Start.Hash() != g.Game.New().Hash() {
		p.from = q.Position()
	}
	return g.restore(p)
}
