package play

import (
	"context"
	"fmt"
	"time"

	"tiro/env"
	"tiro/player"
)

// program is another program as a player, whatever protocol it speaks.
type program struct {
	name    string
	words   []string      // of the command
	move    time.Duration // that a move may take; 0: not known
	timeout time.Duration // for an answer besides
	game    env.Game
	process *process // nil: not running
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

// kill ends a program that cannot be used any more.
func (p *program) kill() {
	if p.process != nil {
		p.process.kill()
		p.process = nil
	}
}

// forfeit ends the program after an error, and returns the error of Choose: the end of ctx,
// or that the player forfeits the game.
func (p *program) forfeit(ctx context.Context, err error) error {
	p.kill()
	if ctx.Err() != nil {
		return fmt.Errorf("play: %s: %w", p.name, ctx.Err())
	}
	return &player.Forfeit{Reason: err.Error()}
}

// launch starts the program, which greet must find able to play.
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

// after returns the position that history leads to from the start, as far as it is legal.
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
