package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// Terminal is a game between people and players in one terminal.
type Terminal struct {
	Game     env.Game
	Seats    []arena.Player // one a seat; nil is a person
	Analyst  arena.Player   // answers hint; may be nil, and may be one of Seats
	Seed     uint64         // determines everything random
	Colour   bool           // draw with ANSI escape sequences
	Position string         // where games begin; empty for the start position
}

// Run plays until a person quits or the input ends, or, if no person is seated,
// until the game is over. When ctx ends, Run returns at once with its error
// wrapped; a Read of in that has begun is left to end by itself.
func (t Terminal) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if seats := t.Game.Spec().Players; len(t.Seats) != seats {
		return fmt.Errorf("play: %d players for %s; want %d", len(t.Seats), t.Game.Spec().Name, seats)
	}
	start := t.Game.New()
	if t.Position != "" {
		if err := setPosition(start, t.Position); err != nil {
			return fmt.Errorf("play: %w", err)
		}
	}
	lines := newInput(in)
	s := &session{Terminal: t, lines: lines, out: &printer{w: out}, start: start, state: t.Game.New()}
	s.Seats = slices.Clone(t.Seats)
	s.restart()
	err := s.run(ctx)
	switch {
	case errors.Is(err, io.EOF):
		s.out.printf("\n")
		err = nil
	case errors.Is(err, errQuit):
		err = nil
	case err != nil:
		s.out.printf("\n")
		err = fmt.Errorf("play: %w", err)
	}
	return errors.Join(err, s.out.failure())
}

// setPosition sets s to a position in the game's notation.
func setPosition(s env.State, pos string) error {
	p, ok := s.(env.Positioner)
	if !ok {
		return errors.New("this game has no notation for positions")
	}
	return p.SetPosition(pos)
}

// errQuit says that a person or a program has quit.
var errQuit = errors.New("quit")

// session is a running Terminal.
type session struct {
	Terminal
	lines    input
	out      *printer
	start    env.State     // where the current game began
	state    env.State     // where it is now
	history  []env.Action  // that led from start to state
	movers   []env.Player  // the seat of each action in history
	games    uint64        // number of games so far
	resigned []resignation // of the current game, in order
}

// restart begins a new game at s.start.
func (s *session) restart() {
	s.games++
	s.rewind(0)
	for _, p := range append(slices.Clone(s.Seats), s.Analyst) {
		if p, ok := p.(arena.NewGamer); ok {
			p.NewGame()
		}
	}
}

// rewind goes back to the position after the first plies actions.
func (s *session) rewind(plies int) {
	s.state.CopyFrom(s.start)
	s.history, s.movers = s.history[:plies], s.movers[:plies]
	for _, a := range s.history {
		s.state.Play(a)
	}
	s.resigned = slices.DeleteFunc(s.resigned, func(r resignation) bool { return r.ply >= plies })
}

// over reports whether the game has ended, by its rules or by resignation.
func (s *session) over() bool {
	_, over := s.state.Result()
	return over || s.abandoned()
}

// run is the main loop. Its errors are errQuit, io.EOF, ctx's or a player's.
func (s *session) run(ctx context.Context) error {
	s.out.printf("%s", s.Game.Spec().Name)
	if s.people() > 0 {
		s.out.printf(": type a move, or help")
	}
	s.out.printf("\n")
	s.show()
	for s.out.failure() == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case s.over() && s.people() == 0:
			return nil
		case !s.over() && s.occupant(s.state.Turn()) != nil:
			err = s.letPlay(ctx)
		default:
			err = s.prompt(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prompt reads a line and executes it.
func (s *session) prompt(ctx context.Context) error {
	s.out.printf("> ")
	text, err := s.lines.next(ctx)
	if errors.Is(err, errLong) {
		s.out.printf("That was %s.\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return s.execute(ctx, strings.TrimSpace(text))
}

// letPlay lets the player on turn choose an action, and plays it.
func (s *session) letPlay(ctx context.Context) error {
	seat := s.state.Turn()
	p := s.occupant(seat)
	rng := env.NewRand(s.Seed, s.games, uint64(seat), uint64(len(s.history)))
	a, err := p.Choose(ctx, s.state, s.history, rng)
	if err == nil {
		err = env.CheckAction(s.state, a)
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w", s.name(seat), s.state, err)
	}
	note := ""
	if p, ok := p.(arena.Analyzer); ok {
		analysis := p.Analysis()
		note = fmt.Sprintf("   %s, %d nodes", s.valueText(analysis, seat), analysis.Nodes)
	}
	s.play(note, a)
	return nil
}

// play plays legal actions of the player on turn. It shows the board afterwards,
// except between the actions of a player's turn.
func (s *session) play(note string, actions ...env.Action) {
	seat := s.state.Turn()
	s.out.printf("%s plays %s%s\n", capitalize(s.name(seat)), strings.Join(notation(s.Game, s.state, actions), " "), note)
	for _, a := range actions {
		s.history = append(s.history, a)
		s.movers = append(s.movers, seat)
		s.state.Play(a)
	}
	if s.occupant(seat) == nil || !midTurn(s.state) {
		s.show()
	}
}

// show draws the board and says who is on turn, or how the game ended.
func (s *session) show() {
	s.out.printf("\n")
	if d, ok := s.state.(env.TextDrawer); ok {
		s.out.printf("%s", d.Draw(s.Colour))
	} else {
		s.out.printf("%s\n", s.state)
	}
	s.out.printf("\n")
	if a, ok := s.state.(env.Announcer); ok && a.Announcement() != "" {
		s.out.printf("%s!\n", a.Announcement())
	}
	if !s.over() {
		s.out.printf("%s to move\n", capitalize(s.name(s.state.Turn())))
		return
	}
	s.out.printf("%s\n", s.resultText())
	if s.people() > 0 {
		s.out.printf("undo, new or quit?\n")
	}
}
