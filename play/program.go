package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"tiro/env"
	"tiro/player"
	"tiro/player/clock"
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
	var p player.Player
	var start func(context.Context) error
	if s.Kind == player.GTP {
		g, ok := game.(env.GTPGame)
		if !ok {
			return nil, fmt.Errorf("%s: GTP does not support %s", base.name, game.Spec().Name)
		}
		gtp := &gtpPlayer{program: base, setup: g.GTPSetup(), clock: s.Clock}
		gtp.protocol, p, start = gtp, gtp, gtp.start
	} else {
		ugi := &ugiPlayer{program: base, options: s.Options}
		switch {
		case ugi.move > 0:
			ugi.limit = fmt.Sprintf(" movetime %d", ugi.move.Milliseconds())
		case s.Budget.Simulations > 0:
			ugi.limit = fmt.Sprintf(" nodes %d", s.Budget.Simulations)
		}
		ugi.protocol, p, start = ugi, ugi, ugi.start
	}
	if err := start(context.Background()); err != nil {
		return nil, fmt.Errorf("%s: %w", base.name, err)
	}
	return p, nil
}

// program is another program as a player. It is common to all protocols.
type program struct {
	protocol protocol
	name     string
	words    []string      // words of the command
	move     time.Duration // time of a move; 0 if unknown
	timeout  time.Duration // time for an answer, in addition to move
	game     env.Game
	process  *process    // nil if it is not running
	clocks   *clock.Game // nil without a time control
	thinks   bool        // whether the program, and not a preparation, uses the time
	begins   bool        // whether a game begins of which the program does not know
	nodes    int         // nodes of the last turn, if the program reports them

	// rest is the rest of the turn that the program has chosen. It begins at the position
	// with this hash.
	rest []env.Action
	hash uint64
}

// protocol is a language of programs.
type protocol interface {
	// greet begins a conversation.
	greet(ctx context.Context) error

	// ask asks the program for the turn at s, or the rest of it.
	ask(ctx context.Context, s env.State, history []env.Action) ([]env.Action, error)
}

var (
	_ player.Player   = (*program)(nil)
	_ player.NewGamer = (*program)(nil)
	_ player.Clocked  = (*program)(nil)
	_ io.Closer       = (*program)(nil)
)

// NewGame implements player.NewGamer.
func (p *program) NewGame() { p.begins, p.rest = true, nil }

// Choose implements player.Player.
func (p *program) Choose(ctx context.Context, s env.State, history []env.Action, _ *rand.Rand) (env.Action, error) {
	p.nodes = 0
	if len(p.rest) == 0 || p.hash != s.Hash() {
		var err error
		if p.process == nil {
			err = p.start(ctx)
		}
		if err == nil {
			p.rest, err = p.protocol.ask(ctx, s, history)
		}
		if err != nil {
			return 0, p.forfeit(ctx, err)
		}
	}
	a := p.rest[0]
	p.rest = p.rest[1:]
	p.hash = env.After(p.game, s, a).Hash()
	return a, nil
}

// SetClocks implements player.Clocked.
func (p *program) SetClocks(g *clock.Game, _ int) { p.clocks, p.thinks = g, false }

// lateAnswer is the time for which a program whose time is over is waited for.
const lateAnswer = 2 * time.Second

// think starts the clock of the program, which does not count earlier preparations, and
// returns the time for its answer.
func (p *program) think() time.Duration {
	if p.clocks == nil {
		return p.move + p.timeout
	}
	p.clocks.Restart()
	p.thinks = true
	s := p.clocks.Seats()[p.clocks.Turn()]
	return s.Time().Left + s.Margin + min(p.timeout, lateAnswer)
}

// Name implements player.Player.
func (p *program) Name() string { return p.name }

// Close ends the program.
func (p *program) Close() error {
	if p.process != nil {
		p.process.quit(p.timeout)
		p.process = nil
	}
	return nil
}

// kill kills a program that can no longer be used.
func (p *program) kill() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}

// forfeit kills the program after an error. It returns the error of Choose: ctx's error if ctx
// has ended, and otherwise a Forfeit.
func (p *program) forfeit(ctx context.Context, err error) error {
	p.kill()
	p.rest = nil
	if p.clocks != nil && !p.thinks {
		p.clocks.Restart()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("play: %s: %w", p.name, ctx.Err())
	}
	return &player.Forfeit{Reason: err.Error()}
}

// start starts the program. It kills the program if its first answers are wrong.
func (p *program) start(ctx context.Context) (err error) {
	if p.process, err = startProcess(p.words); err != nil {
		p.process = nil
		return err
	}
	p.begins = true
	if err = p.protocol.greet(ctx); err != nil {
		p.kill()
	}
	return err
}

// after returns the position after history from the start, up to the first illegal action. It
// calls play before each action.
func (p *program) after(history []env.Action, play func(at env.State, i int) error) (env.State, error) {
	at := p.game.New()
	for i, a := range history {
		if env.CheckAction(at, a) != nil {
			break
		}
		if err := play(at, i); err != nil {
			return at, err
		}
		at.Play(a)
	}
	return at, nil
}
