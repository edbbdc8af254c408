package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/player"
)

// StartProgram starts another program as a player of the kind player.UGI or player.GTP. It
// does not use a shell. The player forfeits a game if its program crashes, does not answer in
// time, writes without end or answers with an illegal move. It restarts the program for the
// next game.
func StartProgram(game env.Game, s player.Spec) (player.Player, error) {
	words, err := s.Words()
	if err != nil {
		return nil, err
	}
	base := program{name: s.String(), words: words, move: s.Budget.Time, timeout: cmp.Or(s.Timeout, player.DefaultTimeout), game: game}
	if s.Kind == player.GTP {
		return startGTP(base, s.Clock)
	}
	p := &ugiPlayer{program: base, options: s.Options}
	switch {
	case p.move > 0:
		p.limit = fmt.Sprintf(" movetime %d", p.move.Milliseconds())
	case s.Budget.Simulations > 0:
		p.limit = fmt.Sprintf(" nodes %d", s.Budget.Simulations)
	}
	if err := p.start(context.Background()); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return p, nil
}

type ugiPlayer struct {
	program
	limit   string // argument of go, in addition to the clocks
	options []player.Option
	nodes   int  // nodes of the last turn
	begins  bool // whether a game begins

	// rest is the rest of the turn that the program has chosen. It begins at the position
	// with this hash.
	rest []env.Action
	hash uint64
}

var (
	_ player.Player   = (*ugiPlayer)(nil)
	_ player.NewGamer = (*ugiPlayer)(nil)
	_ player.Clocked  = (*ugiPlayer)(nil)
	_ player.Counter  = (*ugiPlayer)(nil)
	_ io.Closer       = (*ugiPlayer)(nil)
)

// Nodes implements player.Counter. It returns the nodes that the program reported for its last
// turn.
func (p *ugiPlayer) Nodes() int { return p.nodes }

// NewGame implements player.NewGamer.
func (p *ugiPlayer) NewGame() { p.begins, p.rest = true, nil }

// Choose implements player.Player.
func (p *ugiPlayer) Choose(ctx context.Context, s env.State, history []env.Action, _ *rand.Rand) (env.Action, error) {
	p.nodes = 0
	if len(p.rest) == 0 || p.hash != s.Hash() {
		turn, err := p.ask(ctx, s, history)
		if err != nil {
			return 0, p.forfeit(ctx, err)
		}
		p.rest = turn
	}
	a := p.rest[0]
	p.rest = p.rest[1:]
	p.hash = env.After(p.game, s, a).Hash()
	return a, nil
}

// ask asks the program for the turn at s, or the rest of it.
func (p *ugiPlayer) ask(ctx context.Context, s env.State, history []env.Action) ([]env.Action, error) {
	if p.process == nil {
		if err := p.start(ctx); err != nil {
			return nil, err
		}
	}
	position, err := p.position(s, history)
	if err != nil {
		return nil, err
	}
	if p.begins {
		position = "uginewgame\n" + position
		p.begins = false
	}
	// Skip the output since the last move until readyok.
	if err := p.process.command(ctx, p.timeout, position+"\nisready", "readyok", nil); err != nil {
		return nil, err
	}
	var turn []env.Action
	illegal := error(nil)
	err = p.process.command(ctx, p.think(), "go"+p.limits()+p.limit, "bestmove", func(words []string) {
		switch {
		case words[0] == "info":
			if i := slices.Index(words, "nodes"); i >= 0 && i+1 < len(words) {
				if n, err := strconv.Atoi(words[i+1]); err == nil && n >= 0 {
					p.nodes = n
				}
			}
		case words[0] == "bestmove" && len(words) > 1:
			if turn, illegal = env.ParseTurn(s, words[1]); illegal != nil {
				illegal = fmt.Errorf("illegal move %q", clip(words[1]))
			}
		case words[0] == "bestmove":
			illegal = errors.New("bestmove without a move")
		}
	})
	return turn, cmp.Or(err, illegal)
}

// limits returns the clocks as arguments of go.
func (p *ugiPlayer) limits() (args string) {
	if p.clocks == nil {
		return ""
	}
	own := p.clocks.Seats()[p.clocks.Turn()]
	if own.Move > 0 {
		return fmt.Sprintf(" movetime %d", own.Move.Milliseconds())
	}
	for i, s := range p.clocks.Seats() {
		if s.Limits() {
			t := s.Time()
			args += fmt.Sprintf(" p%dtime %d p%dinc %d", i+1, t.Left.Milliseconds(), i+1, t.Increment.Milliseconds())
		}
	}
	if n := own.Time().Moves; n > 0 {
		args += fmt.Sprintf(" movestogo %d", n)
	}
	return args
}

// position returns the command that sets up s. It uses the moves from the start if these lead
// to s with a complete last turn, and otherwise the position string.
func (p *ugiPlayer) position(s env.State, history []env.Action) (string, error) {
	start := p.game.New()
	at, _ := p.after(history, func(env.State, int) error { return nil })
	if at.Hash() == s.Hash() && (len(history) == 0 || !env.MidTurn(s)) {
		return strings.TrimSpace("position startpos moves " + strings.Join(notation(p.game, start, history), " ")), nil
	}
	if q, ok := s.(env.Positioner); ok {
		return "position fen " + q.Position(), nil
	}
	return "", fmt.Errorf("%s has no notation for positions, which this position requires", p.game.Spec().Name)
}

func (p *ugiPlayer) start(ctx context.Context) error {
	return p.launch(func() error { return p.greet(ctx) })
}

// greet asks the program for its options and sets them.
func (p *ugiPlayer) greet(ctx context.Context) error {
	var known []string
	err := p.process.command(ctx, p.timeout, "ugi", "ugiok", func(words []string) {
		if len(words) > 2 && words[0] == "option" && words[1] == "name" {
			name := words[2:]
			if i := slices.Index(name, "type"); i >= 0 {
				name = name[:i]
			}
			known = append(known, strings.Join(name, " "))
		}
	})
	if err != nil {
		return fmt.Errorf("%w; is it a program that speaks UGI (not UCI)?", err)
	}
	var set strings.Builder
	for _, o := range p.options {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, o.Name) }) {
			return fmt.Errorf("unknown option %q (%s)", clip(o.Name), clip(strings.Join(known, ", ")))
		}
		fmt.Fprintf(&set, "setoption name %s value %s\n", o.Name, o.Value)
	}
	p.begins = true
	return p.process.command(ctx, p.timeout, set.String()+"isready", "readyok", nil)
}
