package play

import (
	"context"
	"fmt"
	"time"

	"tiro/env"
	"tiro/player"
	"tiro/player/clock"
)

// program is another program as a player. It is common to all protocols.
type program struct {
	name    string
	words   []string      // words of the command
	move    time.Duration // time of a move; 0 if unknown
	timeout time.Duration // time for an answer, in addition to move
	game    env.Game
	process *process    // nil if it is not running
	clocks  *clock.Game // nil without a time control
	thinks  bool        // whether the program, and not a preparation, uses the time
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
	if p.clocks != nil && !p.thinks {
		p.clocks.Restart()
	}
	if ctx.Err() != nil {
		return fmt.Errorf("play: %s: %w", p.name, ctx.Err())
	}
	return &player.Forfeit{Reason: err.Error()}
}

// launch starts the program and calls greet. It kills the program if greet fails.
func (p *program) launch(greet func() error) (err error) {
	if p.process, err = startProcess(p.words); err != nil {
		p.process = nil
		return err
	}
	if err = greet(); err != nil {
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
