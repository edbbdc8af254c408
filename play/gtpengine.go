package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
	from  string // the position that the game began with; "": the start
	past  []gtpPosition
	clock gtpClock
	id    string // of the command that is executed
}

// gtpPosition is a position that undo may return to.
type gtpPosition struct {
	from    string
	history []env.Action
	state   env.State
}

// errAnswered is returned by commands that have written their answer themselves.
var errAnswered = errors.New("answered")

type gtpCommand struct {
	name string
	run  func(g *gtpEngine, ctx context.Context, args []string) (answer string, err error)
}

// gtpCommands returns the commands that the engine has for its game.
func (g *gtpEngine) gtpCommands() []gtpCommand {
	all := []gtpCommand{
		{"protocol_version", constant("2")},
		{"name", (*gtpEngine).tellName},
		{"version", (*gtpEngine).tellVersion},
		{"known_command", (*gtpEngine).knownCommand},
		{"list_commands", (*gtpEngine).listCommands},
		{"quit", func(*gtpEngine, context.Context, []string) (string, error) { return "", errQuit }},
		{"boardsize", (*gtpEngine).boardSize},
		{"clear_board", (*gtpEngine).clearBoard},
		{"komi", (*gtpEngine).komi},
		{"play", (*gtpEngine).play},
		{"undo", (*gtpEngine).undo},
		{"genmove", (*gtpEngine).genmove},
		{"reg_genmove", (*gtpEngine).regGenmove},
		{"kgs-genmove_cleanup", (*gtpEngine).genmove}, // all stones are alive at the end anyway
		{"time_settings", (*gtpEngine).timeSettings},
		{"kgs-time_settings", (*gtpEngine).namedTimeSettings},
		{"kata-time_settings", (*gtpEngine).namedTimeSettings},
		{"time_left", (*gtpEngine).timeLeft},
		{"final_score", (*gtpEngine).finalScore},
		{"final_status_list", (*gtpEngine).finalStatusList},
		{"showboard", (*gtpEngine).showBoard},
	}
	if _, ok := g.Game.(env.Handicapper); ok {
		all = append(all, []gtpCommand{
			{"fixed_handicap", handicap(false)}, {"place_free_handicap", handicap(true)}, {"set_free_handicap", (*gtpEngine).setHandicap},
		}...)
	}
	if g.ReadFile != nil {
		all = append(all, gtpCommand{"loadsgf", (*gtpEngine).loadSGF})
	}
	for _, prefix := range []string{"lz-", "kata-"} {
		all = append(all, gtpCommand{prefix + "analyze", analyze(prefix, false)}, gtpCommand{prefix + "genmove_analyze", analyze(prefix, true)})
	}
	return all
}

// answer executes the command on a line.
func (g *gtpEngine) answer(ctx context.Context, text string, fault error) error {
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
	answer, err := "", fault
	switch {
	case err != nil:
	case len(words) == 0:
		return nil
	default:
		all := g.gtpCommands()
		i := slices.IndexFunc(all, func(c gtpCommand) bool { return c.name == words[0] })
		if err = errors.New("unknown command"); i >= 0 {
			answer, err = all[i].run(g, ctx, words[1:])
		}
	}
	switch {
	case errors.Is(err, errAnswered):
		return nil
	case err == nil || errors.Is(err, errQuit):
		g.out.printf("=%s %s\n\n", g.id, answer)
		return err
	}
	const most = 1000
	if text = strings.Join(strings.Fields(err.Error()), " "); len(text) > most {
		text = text[:most] + "…"
	}
	g.out.printf("?%s %s\n\n", g.id, text)
	return nil
}

// errSyntax is the error of a command with wrong arguments.
var errSyntax = errors.New("syntax error")

func constant(answer string) func(*gtpEngine, context.Context, []string) (string, error) {
	return func(*gtpEngine, context.Context, []string) (string, error) { return answer, nil }
}

func (g *gtpEngine) tellName(context.Context, []string) (string, error) {
	name, _, _ := strings.Cut(g.Name, " ")
	return name, nil
}

func (g *gtpEngine) tellVersion(context.Context, []string) (string, error) {
	_, version, _ := strings.Cut(g.Name, " ")
	return version, nil
}

func (g *gtpEngine) knownCommand(_ context.Context, args []string) (string, error) {
	known := len(args) == 1 && slices.ContainsFunc(g.gtpCommands(), func(c gtpCommand) bool { return c.name == args[0] })
	return strconv.FormatBool(known), nil
}

func (g *gtpEngine) listCommands(context.Context, []string) (string, error) {
	var names []string
	for _, c := range g.gtpCommands() {
		names = append(names, c.name)
	}
	return strings.Join(names, "\n"), nil
}

// think searches for the action of a player.
func (g *gtpEngine) think(ctx context.Context, args []string, play bool, s search) (string, error) {
	if len(args) != 1 {
		return "", errSyntax
	}
	seat, err := g.seat(args[0])
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

func (g *gtpEngine) genmove(ctx context.Context, args []string) (string, error) {
	return g.think(ctx, args, true, search{})
}

func (g *gtpEngine) regGenmove(ctx context.Context, args []string) (string, error) {
	return g.think(ctx, args, false, search{})
}
