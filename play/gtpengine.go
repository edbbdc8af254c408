package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tiro/env"
	"tiro/player"
)

// RunGTP is Run with the commands of the Go Text Protocol (G. Farnebäck 2002, "GTP Version
// 2"), for a game that is an env.GTPGame.
func (e Engine) RunGTP(ctx context.Context, in io.Reader, out io.Writer) error {
	if _, ok := e.Game.(env.GTPGame); !ok {
		return fmt.Errorf("play: engine: programs that speak GTP do not know %s", e.Game.Spec().Name)
	}
	g := &gtpEngine{engine: e.begin(out)}
	return g.run(ctx, in, func(text string, fault error) error { return g.answer(ctx, text, fault) })
}

// gtpEngine is a running Engine that answers commands of GTP.
type gtpEngine struct {
	*engine
	past  []position // positions that undo may return to
	clock gtpClock
	id    string // of the command that is executed
}

// errAnswered is returned by commands that have written their answer themselves.
var errAnswered = errors.New("answered")

// errSyntax is the error of a command with wrong arguments.
var errSyntax = errors.New("syntax error")

type gtpCommand struct {
	name string
	args int // number of arguments; -1 for any
	run  func(args []string) (answer string, err error)
}

// commands returns the commands that the engine has for its game.
func (g *gtpEngine) commands(ctx context.Context) []gtpCommand {
	name, version, _ := strings.Cut(g.Name, " ")
	constant := func(answer string) func([]string) (string, error) {
		return func([]string) (string, error) { return answer, nil }
	}
	genmove := func(play bool) func(args []string) (string, error) {
		return func(args []string) (string, error) { return g.think(ctx, args[0], play, search{}) }
	}
	all := []gtpCommand{
		{"protocol_version", -1, constant("2")},
		{"name", -1, constant(name)},
		{"version", -1, constant(version)},
		{"known_command", -1, func(args []string) (string, error) {
			return strconv.FormatBool(len(args) == 1 && g.find(ctx, args[0]) != nil), nil
		}},
		{"list_commands", -1, func([]string) (string, error) { return g.listCommands(ctx), nil }},
		{"quit", -1, func([]string) (string, error) { return "", errQuit }},
		{"boardsize", 1, g.boardSize},
		{"clear_board", -1, g.clearBoard},
		{"komi", 1, g.komi},
		{"play", 2, g.playMove},
		{"undo", -1, g.undo},
		{"genmove", 1, genmove(true)},
		{"reg_genmove", 1, genmove(false)},
		{"kgs-genmove_cleanup", 1, genmove(true)}, // all stones are alive at the end anyway
		{"time_settings", 3, func(args []string) (string, error) {
			return g.timeSettings(append([]string{"canadian"}, args...))
		}},
		{"kgs-time_settings", -1, g.timeSettings},
		{"kata-time_settings", -1, g.timeSettings},
		{"time_left", 3, g.timeLeft},
		{"final_score", -1, g.finalScore},
		{"final_status_list", 1, g.finalStatusList},
		{"showboard", -1, g.showBoard},
	}
	if _, ok := g.Game.(env.Handicapper); ok {
		all = append(all, []gtpCommand{
			{"fixed_handicap", 1, func(args []string) (string, error) { return g.handicap(args[0], false) }},
			{"place_free_handicap", 1, func(args []string) (string, error) { return g.handicap(args[0], true) }},
			{"set_free_handicap", -1, func(args []string) (string, error) { return "", g.setHandicap(args) }},
		}...)
	}
	if g.ReadFile != nil {
		all = append(all, gtpCommand{"loadsgf", -1, g.loadSGF})
	}
	for _, prefix := range []string{"lz-", "kata-"} {
		analyze := func(play bool) func(args []string) (string, error) {
			return func(args []string) (string, error) { return g.analyze(ctx, args, prefix == "lz-", play) }
		}
		all = append(all, gtpCommand{prefix + "analyze", -1, analyze(false)}, gtpCommand{prefix + "genmove_analyze", -1, analyze(true)})
	}
	return all
}

// find returns the command with a name, or nil.
func (g *gtpEngine) find(ctx context.Context, name string) *gtpCommand {
	for _, c := range g.commands(ctx) {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func (g *gtpEngine) listCommands(ctx context.Context) string {
	var names []string
	for _, c := range g.commands(ctx) {
		names = append(names, c.name)
	}
	return strings.Join(names, "\n")
}

// answer executes the command on a line.
func (g *gtpEngine) answer(ctx context.Context, text string, err error) error {
	g.stop() // an analysis, which lasts until the next line
	text, _, _ = strings.Cut(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text), "#")
	words := strings.Fields(text)
	if g.id = ""; len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		g.id, words = clip(words[0]), words[1:]
	}
	answer := ""
	if err == nil {
		if len(words) == 0 {
			return nil
		}
		switch c := g.find(ctx, words[0]); {
		case c == nil:
			err = errors.New("unknown command")
		case c.args >= 0 && len(words)-1 != c.args:
			err = errSyntax
		default:
			answer, err = c.run(words[1:])
		}
	}
	switch {
	case errors.Is(err, errAnswered):
		return nil
	case err == nil || errors.Is(err, errQuit):
		g.out.printf("=%s %s\n\n", g.id, answer)
		return err
	}
	g.out.printf("?%s %s\n\n", g.id, clipAt(maxError, strings.Join(strings.Fields(err.Error()), " ")))
	return nil
}

// think searches for the action of the player with a colour.
func (g *gtpEngine) think(ctx context.Context, colour string, play bool, s search) (string, error) {
	seat, err := g.seat(colour)
	if err != nil {
		return "", err
	}
	p, err := g.before(seat)
	if errors.Is(err, errOver) {
		return "PASS", nil
	}
	if err != nil {
		return "", err
	}
	s.limits, s.state, s.history = g.clock.limits(seat, g.nodes), p.state, p.history
	var turn []env.Action
	s.done = func(s *search) { turn, err = s.turn, s.err }
	if s.info == nil {
		s.info, s.interval = func(*search, player.Analysis) {}, infoInterval
	}
	began := g.Now()
	g.manager.Forget() // clients may round the time left
	g.start(ctx, s)
	g.wait()
	if err != nil {
		return "", err
	}
	name := strings.ToUpper(p.state.ActionString(turn[0]))
	if play {
		g.clock.spend(seat, g.Now().Sub(began))
		p.play(g.Game, turn[0])
		g.set(p)
	}
	return name, nil
}

// analyze executes an analysis in the format of Leela Zero, if lz, or of KataGo: [COLOUR]
// [CENTISECONDS] [KEY VALUE …]. It lasts until the next line, or it is of a move that is
// played.
func (g *gtpEngine) analyze(ctx context.Context, args []string, lz, play bool) (string, error) {
	seat, interval, most := g.state.Turn(), infoInterval, math.MaxInt
	if len(args) > 0 {
		if named, err := g.seat(args[0]); err == nil {
			seat, args = named, args[1:]
		}
	}
	if len(args)%2 == 1 {
		args = append([]string{"interval"}, args...)
	}
	for pair := range slices.Chunk(args, 2) {
		n, err := strconv.Atoi(pair[1])
		switch key := pair[0]; {
		case key == "interval" && err == nil:
			interval = time.Duration(min(max(n, 1), math.MaxInt16)) * 10 * time.Millisecond
		case key == "maxmoves" && err == nil && n > 0:
			most = n
		case slices.Contains([]string{"minmoves", "ownership", "movesOwnership", "ownershipStdev", "rootInfo", "pvVisits", "pvEdgeVisits"}, key):
		default:
			return "", fmt.Errorf("%w: %q", errSyntax, clip(strings.Join(pair, " ")))
		}
	}
	s := search{interval: interval, info: func(s *search, a player.Analysis) { s.out.printf("%s\n", s.analysis(a, lz, most)) }}
	if play {
		g.out.printf("=%s\n", g.id)
		if name, err := g.think(ctx, env.SeatName(g.Game, seat), true, s); err != nil {
			g.out.printf("info string %s\n\n", clip(err.Error()))
		} else {
			g.out.printf("play %s\n\n", name)
		}
		return "", errAnswered
	}
	p, err := g.before(seat)
	if err != nil {
		return "", err
	}
	s.state, s.history, s.done = p.state, p.history, func(s *search) { s.out.printf("\n") }
	g.out.printf("=%s\n", g.id)
	g.start(ctx, s)
	return "", errAnswered
}

// analysis formats the visited moves.
func (s *search) analysis(a player.Analysis, lz bool, most int) string {
	var all []string
	seat, players := s.state.Turn(), s.Game.Spec().Players
	for i, l := range a.Lines[:min(most, len(a.Lines))] {
		if l.Visits == 0 && i > 0 {
			continue
		}
		pv := strings.ToUpper(strings.Join(notation(s.Game, s.state, l.Actions), " "))
		move, _, _ := strings.Cut(pv, " ")
		winrate, prior := fmt.Sprintf("%.6f", l.Value.Shares(players)[seat]), fmt.Sprintf("%.6f", l.Prior)
		if lz {
			winrate, prior = fmt.Sprintf("%.0f", 1e4*l.Value.Shares(players)[seat]), fmt.Sprintf("%.0f", 1e4*l.Prior)
		}
		all = append(all, fmt.Sprintf("info move %s visits %d winrate %s prior %s order %d pv %s", move, l.Visits, winrate, prior, i, pv))
	}
	return strings.Join(all, " ")
}
