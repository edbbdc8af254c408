package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// Terminal is a game between people and players on one terminal.
type Terminal struct {
	Game     env.Game
	Seats    []arena.Player // one a seat; nil is a person
	Analyst  arena.Player   // answers hint; may be nil, and may be one of Seats
	Seed     uint64         // decides what random players do
	Colour   bool           // draw with ANSI escape sequences
	Position string         // where to begin; empty: the start position
}

// Run plays until the person leaves, the input ends, or, if nobody is seated
// but players, the game is over. When ctx ends, it returns ctx's error wrapped;
// it returns at once, but a Read of in that has begun is left to end by itself.
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
	defer lines.close()
	s := &session{
		Terminal: t, lines: lines, out: &printer{w: out},
		start: start, state: t.Game.New(),
	}
	s.Seats = slices.Clone(t.Seats)
	s.restart()
	err := s.run(ctx)
	switch {
	case errors.Is(err, io.EOF):
		s.out.say("\n")
		err = nil
	case errors.Is(err, errQuit):
		err = nil
	case err != nil:
		s.out.say("\n")
		err = fmt.Errorf("play: %w", err)
	}
	return errors.Join(err, s.out.failure())
}

// setPosition sets s to a position that a person has written.
func setPosition(s env.State, pos string) error {
	p, ok := s.(env.Positioner)
	if !ok {
		return errors.New("this game has no notation for positions")
	}
	return p.SetPosition(pos)
}

// errQuit says that the person wants to leave.
var errQuit = errors.New("quit")

// session is a Terminal under way.
type session struct {
	Terminal
	lines   *input
	out     *printer
	start   env.State     // where the game began
	state   env.State     // where it is
	actions []env.Action  // that led from start to state
	turns   []env.Player  // who took them
	games   uint64        // begun
	left    []resignation // in order
}

// resignation is a person's leaving a game.
type resignation struct {
	seat env.Player
	ply  int // after so many actions
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
	s.actions, s.turns = s.actions[:plies], s.turns[:plies]
	for _, a := range s.actions {
		s.state.Play(a)
	}
	s.left = slices.DeleteFunc(s.left, func(r resignation) bool { return r.ply >= plies })
}

// resigned reports whether the person on a seat has left the game.
func (s *session) resigned(seat env.Player) bool { return s.resignedBefore(seat, math.MaxInt) }

// resignedBefore is resigned as it was when the person might have taken action
// number ply.
func (s *session) resignedBefore(seat env.Player, ply int) bool {
	return slices.ContainsFunc(s.left, func(r resignation) bool { return r.seat == seat && r.ply < ply })
}

// occupant returns who acts on a seat, nil for a person. If a game goes on
// without a person, the analyst takes the seat.
func (s *session) occupant(seat env.Player) arena.Player {
	if s.resigned(seat) && !s.abandoned() {
		return s.Analyst
	}
	return s.Seats[seat]
}

// abandoned reports whether a resignation has ended the game: with two seats
// any does, with more the game goes on as long as somebody can take the seat
// and a person is left to play with.
func (s *session) abandoned() bool {
	switch {
	case len(s.left) == 0:
		return false
	case len(s.Seats) == 2 || s.Analyst == nil:
		return true
	}
	return len(s.left) == s.people()
}

// people returns how many seats are persons'.
func (s *session) people() int {
	n := 0
	for _, p := range s.Seats {
		if p == nil {
			n++
		}
	}
	return n
}

// name returns what the session calls a seat.
func (s *session) name(seat env.Player) string {
	name := env.SeatName(s.Game, seat)
	switch p := s.occupant(seat); {
	case p != nil:
		return fmt.Sprintf("%s (%s)", name, p.Name())
	case s.people() > 1:
		return name
	}
	return name + " (you)"
}

// over reports whether the game has ended, by its rules or by resignation.
func (s *session) over() bool {
	_, over := s.state.Result()
	return over || s.abandoned()
}

// run is the main loop. Its errors are errQuit, io.EOF, ctx's or a player's.
func (s *session) run(ctx context.Context) error {
	s.out.say("%s", s.Game.Spec().Name)
	if s.people() > 0 {
		s.out.say(": type a move, or help")
	}
	s.out.say("\n")
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
			err = s.think(ctx)
		default:
			err = s.ask(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask reads a line and does what it says.
func (s *session) ask(ctx context.Context) error {
	s.out.say("> ")
	text, err := s.lines.next(ctx)
	if errors.Is(err, errLong) {
		s.out.say("That was %s.\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return s.obey(ctx, strings.TrimSpace(text))
}

// think lets the player on turn act.
func (s *session) think(ctx context.Context) error {
	seat := s.state.Turn()
	p := s.occupant(seat)
	rng := env.NewRand(s.Seed, s.games, uint64(seat), uint64(len(s.actions)))
	a, err := p.Choose(ctx, s.state, s.actions, rng)
	if err != nil {
		return fmt.Errorf("%s in %s: %w", s.name(seat), s.state, err)
	}
	if err := env.CheckAction(s.state, a); err != nil {
		return fmt.Errorf("%s in %s: %w", s.name(seat), s.state, err)
	}
	note := ""
	if t, ok := p.(arena.Analyzer); ok {
		thought := t.Analysis()
		note = fmt.Sprintf("   %s, %d nodes", s.expects(thought, seat), thought.Nodes)
	}
	s.play(note, a)
	return nil
}

// play carries out legal actions of the player on turn and shows what came of
// them; of a turn that is a player's to complete, when he has done so.
func (s *session) play(note string, actions ...env.Action) {
	seat := s.state.Turn()
	s.out.say("%s plays %s%s\n", upper(s.name(seat)), strings.Join(spell(s.Game, s.state, actions), " "), note)
	for _, a := range actions {
		s.actions = append(s.actions, a)
		s.turns = append(s.turns, seat)
		s.state.Play(a)
	}
	if s.occupant(seat) == nil || !underWay(s.state) {
		s.show()
	}
}

// show draws the board and says what there is to be said of it.
func (s *session) show() {
	s.out.say("\n")
	if d, ok := s.state.(env.TextDrawer); ok {
		s.out.say("%s", d.Draw(s.Colour))
	} else {
		s.out.say("%s\n", s.state)
	}
	s.out.say("\n")
	if a, ok := s.state.(env.Announcer); ok && a.Announcement() != "" {
		s.out.say("%s!\n", a.Announcement())
	}
	if s.over() {
		s.out.say("%s\n", s.verdict())
		if s.people() > 0 {
			s.out.say("undo, new or quit?\n")
		}
		return
	}
	s.out.say("%s to move\n", upper(s.name(s.state.Turn())))
}

// verdict says how the game ended.
func (s *session) verdict() string {
	if s.abandoned() {
		loser := s.left[len(s.left)-1].seat
		text := upper(s.name(loser)) + " resigns"
		if len(s.Seats) == 2 {
			return text + "; " + s.name(1-loser) + " wins."
		}
		return text + "; the game ends undecided."
	}
	reason := ""
	if e, ok := s.state.(env.Ender); ok {
		reason = " (" + e.Ending() + ")"
	}
	v, _ := s.state.Result()
	seats := winners(v, len(s.Seats))
	names := make([]string, len(seats))
	for i, seat := range seats {
		names[i] = s.name(seat)
	}
	switch last := len(names) - 1; len(names) {
	case 0:
		return fmt.Sprintf("The game is over%s; payoffs by player: %v.", reason, v[:len(s.Seats)])
	case 1:
		return upper(names[0]) + " wins" + reason + "." + s.places()
	case len(s.Seats):
		return "A draw" + reason + "."
	default:
		return upper(strings.Join(names[:last], ", ")) + " and " + names[last] + " share the win" + reason + "." + s.places()
	}
}

// winners returns the seats that have won a game by its payoffs: one, several
// that share the win, or all in a draw; none if the payoffs are not of that kind.
func winners(v env.Value, players int) []env.Player {
	var seats []env.Player
	shares := v.Shares(players)
	most := slices.Max(shares[:players])
	for seat, share := range shares[:players] {
		switch {
		case most-share < 1e-6:
			seats = append(seats, env.Player(seat))
		case share > 1e-6:
			return nil
		}
	}
	return seats
}

// places says who came second and so on, in games that know.
func (s *session) places() string {
	r, ok := s.state.(env.Ranker)
	if !ok || len(s.Seats) == 2 {
		return ""
	}
	ranking := r.Ranking()
	var texts []string
	for place := range int8(len(s.Seats)) {
		for seat, at := range ranking[:len(s.Seats)] {
			if at == place+1 {
				texts = append(texts, fmt.Sprintf("%d %s", at, env.SeatName(s.Game, env.Player(seat))))
			}
		}
	}
	return " Places: " + strings.Join(texts, ", ") + "."
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
