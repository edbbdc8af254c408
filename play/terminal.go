package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"tiro/env"
	"tiro/player"
)

// Terminal is a game between humans and players in one terminal.
type Terminal struct {
	Game     env.Game
	Seats    []player.Player // by seat; nil for a human
	Analyst  player.Player   // answers hint; may be nil, and may be one of Seats
	Seed     uint64          // determines all randomness
	Colour   bool            // draw with ANSI escape sequences
	Position string          // first position of games; "" for the start position
	Load     string          // game of Files to load first; "" for a new game

	// Outcome, if set, returns the network's outcome probabilities, like
	// net.Model.Outcomes.
	Outcome func(s env.State) []float64

	// Size returns the columns and rows of the terminal; nil for 80 by 24.
	Size func() (columns, rows int)

	// Editor reads the lines that users type; nil for the lines of Run's input.
	Editor LineReader

	// Thinking is called with a player's name before the player thinks, and its result
	// afterwards. It may show the elapsed time. It may be nil.
	Thinking func(name string) (done func())

	// Interrupts has a value for every Ctrl-C that is not typed at a prompt of Editor.
	// If a player is thinking, it makes the player move at once; a prompt follows if no
	// human has a turn left. Otherwise it counts as Ctrl-C at the prompt. It may be nil.
	Interrupts <-chan os.Signal

	// Files saves and loads games; if it is nil, there are no such commands. If Autosave
	// is not "", the game is saved there after every turn of a human and at the end.
	Files    Files
	Autosave string
}

// LineReader reads lines that a user types.
type LineReader interface {
	// ReadLine shows a prompt and returns the next line without its line end. Its error
	// is io.EOF after the last line, ErrInterrupted after Ctrl-C, or ctx's error as soon
	// as ctx ends.
	ReadLine(ctx context.Context, prompt string) (string, error)
}

// ErrInterrupted is the error of a LineReader after Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Run plays until the user quits or the input ends. Without human seats, it ends with the
// game. When ctx ends, Run returns its error wrapped, even while a Read of in blocks.
func (t Terminal) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	if seats := t.Game.Spec().Players; len(t.Seats) != seats {
		return fmt.Errorf("play: %d players, but %s has %d seats", len(t.Seats), t.Game.Spec().Name, seats)
	}
	start, err := PositionAfter(t.Game, t.Position, nil)
	if err != nil {
		return fmt.Errorf("play: %w", err)
	}
	s := &session{Terminal: t, out: &printer{w: out}}
	if s.Editor == nil {
		s.Editor = &plainLines{newInput(in), s.out}
	}
	if s.Size == nil {
		s.Size = func() (int, int) { return 80, 24 }
	}
	if s.Thinking == nil {
		s.Thinking = func(string) func() { return func() {} }
	}
	s.Seats = slices.Clone(t.Seats)
	s.begin(s.newGame(start))
	if s.Load != "" {
		s.game = nil
		if err := s.load(s.Load); err != nil {
			return fmt.Errorf("play: load: %w", err)
		}
	}
	err = s.run(ctx)
	if err != nil && !errors.Is(err, errQuit) {
		s.out.printf("\n")
	}
	s.leave()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errQuit):
		err = nil
	case err != nil:
		err = fmt.Errorf("play: %w", err)
	}
	return errors.Join(err, s.out.failure())
}

// plainLines is the LineReader of an input that is not a terminal.
type plainLines struct {
	input
	out *printer
}

func (p *plainLines) ReadLine(ctx context.Context, prompt string) (string, error) {
	p.out.printf("%s", prompt)
	return p.next(ctx)
}

// errQuit is the error after the command quit.
var errQuit = errors.New("quit")

type session struct {
	Terminal
	*game
	out         *printer
	games       uint64 // number of games so far
	paused      bool   // whether the player on turn was stopped without a move
	warned      bool   // whether the last input was Ctrl-C
	interrupted bool   // whether Ctrl-C was pressed after the last line had been read
	withChances bool   // whether chances are shown below every board
}

type game struct {
	*Table
	number uint64 // number in the session, from 1
	former *game  // game to which undo returns; may be nil

	since   env.State // state before the turns since the last human move
	reports []string  // reports on these turns
	others  int       // turns since the last human turn
	saved   int       // length of the history when the game was last saved
}

func (s *session) newGame(start env.State) *game {
	s.games++
	return &game{Table: NewTable(s.Game, nil, start), number: s.games, former: s.game}
}

func (s *session) begin(g *game) {
	s.game = g
	s.seat()
	for _, p := range append(slices.Clone(s.Terminal.Seats), s.Analyst) {
		if p, ok := p.(player.NewGamer); ok {
			p.NewGame()
		}
	}
}

// seat sets the names of the players in the game.
func (s *session) seat() {
	s.Table.Seats = nil
	for _, p := range s.Terminal.Seats {
		name := Human
		if p != nil {
			name = p.Name()
		}
		s.Table.Seats = append(s.Table.Seats, name)
	}
	if s.Analyst != nil {
		s.Substitute = s.Analyst.Name()
	}
}

func (s *session) resultText() string { return s.ResultText(s.name) + "." }

// run is the main loop. Its errors are errQuit, io.EOF, ctx's or a player's.
func (s *session) run(ctx context.Context) error {
	s.out.printf("%s", s.Game.Spec().Name)
	if s.People() > 0 {
		s.out.printf(": type a move, or help")
		if _, ok := s.Game.(env.Explainer); ok {
			s.out.printf(", or rules")
		}
	}
	s.out.printf("\n")
	s.show()
	for s.out.failure() == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case s.Over() && s.People() == 0:
			return nil
		case !s.Over() && !s.paused && s.occupant(s.State().Turn()) != nil:
			err = s.letPlay(ctx, s.occupant(s.State().Turn()))
		default:
			err = s.prompt(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interruptible returns a context that ends with ctx or with the next interrupt. The
// caller must call the function, which ends the context and reports whether there was
// an interrupt.
func (s *session) interruptible(ctx context.Context) (context.Context, func() bool) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan bool)
	go func() {
		select {
		case <-s.Interrupts:
			cancel()
			ended <- true
		case <-ctx.Done():
			ended <- false
		}
	}()
	return ctx, func() bool {
		cancel()
		return <-ended
	}
}

func (s *session) prompt(ctx context.Context) error {
	text, interrupted, err := s.readLine(ctx)
	switch {
	case errors.Is(err, errLong):
		s.out.printf("The line was ignored: %s.\n", err)
		return nil
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case interrupted && s.warned:
		s.out.printf("\n")
		return errQuit
	case interrupted:
		s.warned = true
		s.out.printf("\n")
		s.say(fmt.Sprintf("Press Ctrl-C again, or type quit, to leave the game%s.", s.savingHint()))
		return nil
	case err != nil:
		return err
	}
	s.warned = false
	return s.execute(ctx, strings.TrimSpace(text))
}

// readLine prompts for a line. It reports an interrupt at the prompt, or between reading
// and executing the previous line.
func (s *session) readLine(ctx context.Context) (text string, interrupted bool, err error) {
	if s.interrupted {
		s.interrupted = false
		return "", true, nil
	}
	inner, end := s.interruptible(ctx)
	text, err = s.Editor.ReadLine(inner, s.question()+"> ")
	stopped := inner.Err()
	s.interrupted = end() && err == nil
	return text, errors.Is(err, ErrInterrupted) || err != nil && stopped != nil && errors.Is(err, stopped), err
}

func (s *session) question() string {
	name := capitalize(s.name(s.State().Turn()))
	switch {
	case s.Over():
		return "undo, new or quit"
	case s.paused:
		return name + " was stopped; type go, a move for it, or undo"
	}
	return name + " to move"
}

// rng returns the random generator of the decision after plies actions.
func (s *session) rng(plies int) *rand.Rand {
	return env.NewRand(s.Seed, s.number, uint64(s.State().Turn()), uint64(plies))
}

// think lets p choose a turn. It returns nil and no error if p was stopped without one.
func (s *session) think(ctx context.Context, p player.Player, decided func(player.Analysis)) (*thinking, error) {
	done := s.Thinking(p.Name())
	inner, end := s.interruptible(ctx)
	t := &thinking{game: s.Game, player: p, state: s.State(), history: s.History, rng: s.rng, decided: decided}
	err := t.run(inner)
	t.stopped = inner.Err() != nil
	end()
	done()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && t.stopped:
		return nil, nil
	}
	return t, err
}

// letPlay lets p play for the player on turn.
func (s *session) letPlay(ctx context.Context, p player.Player) error {
	var last *player.Analysis
	t, err := s.think(ctx, p, func(a player.Analysis) { last = &a })
	switch {
	case err != nil:
		return fmt.Errorf("%s in %s: %w", s.name(s.State().Turn()), s.State(), err)
	case t == nil && s.People() == 0:
		return errQuit
	case t == nil:
		s.paused = true
		return nil
	}
	note := ""
	if last != nil {
		note = fmt.Sprintf(" (%s, %s)", s.valueText(*last, s.State().Turn()), env.Plural(t.nodes, "node"))
	}
	s.playTurn(note, t.turn)
	if round := len(s.Seats) - 1; t.stopped && s.others >= round && !s.Over() && s.occupant(s.State().Turn()) != nil {
		// No human has a turn left.
		if s.paused = true; s.People() > 0 && len(s.reports) < round {
			s.show()
		}
	}
	return nil
}

// playTurn plays legal actions of the player on turn. It shows the position when it is a
// human's turn, and after every round if all humans are out.
func (s *session) playTurn(note string, actions []env.Action) {
	s.paused = false
	seat := s.State().Turn()
	name := capitalize(s.name(seat))
	person := s.occupant(seat) == nil
	s.Play(actions...)
	if s.MidTurn() {
		s.show() // a human decides the rest
		return
	}
	round := len(s.Seats) - 1 // turns of all other players
	if person || s.others == 0 || s.People() == 0 || s.since == nil || len(s.reports) == round {
		s.since, s.reports = s.Since(len(s.History)), nil
	}
	if s.others++; person {
		s.others = 0
	}
	report := s.report(name) + note
	s.reports = append(s.reports, report)
	if person || s.Over() && s.People() > 0 {
		_ = s.keep() // an error appears when the game is left
	}
	next := s.occupant(s.State().Turn())
	switch {
	case person && next != nil && !s.Over():
		s.say(report)
		return
	case next != nil && !s.Over() && s.People() > 0 && len(s.reports) < round:
		return // until the others have moved too
	}
	s.show()
}

// report describes the last turn and its effects.
func (s *session) report(name string) string {
	turns := s.Turns()
	last := turns[len(turns)-1]
	text := name + " plays " + last.Text
	if last.Did != "" {
		text += ": " + last.Did
	}
	return text
}

// say prints a message, wrapped at the width of the terminal.
func (s *session) say(text string) {
	columns, _ := s.Size()
	s.out.printf("%s\n", env.Wrap(text, max(columns-1, 20)))
}

// show draws the board, and prints the reports and the result below.
func (s *session) show() {
	columns, rows := s.Size()
	bars := ""
	if s.withChances && !s.Over() {
		bars = s.chanceBars()
	}
	s.out.printf("\n%s%s", env.Draw(s.State(), env.Screen{
		Columns: columns - 1, Lines: max(1, rows-4-strings.Count(bars, "\n")), Colour: s.Colour, Since: s.since,
	}), bars)
	for _, report := range s.reports {
		s.say(report)
	}
	if a, ok := s.State().(env.Narrator); ok && a.Announcement() != "" {
		s.say(a.Announcement() + "!")
	}
	switch c, ok := s.State().(env.Claimer); {
	case s.Over():
		s.say(s.resultText())
	case ok && s.occupant(s.State().Turn()) == nil:
		if _, legal := c.DrawClaim(); legal {
			s.say("You can claim a draw: type draw.")
		}
	}
}

// keep saves the game to Autosave, if set.
func (s *session) keep() error {
	if s.Autosave == "" || s.Files == nil {
		return nil
	}
	return s.Files.WriteFile(s.Autosave, s.Record().PGN())
}

func (s *session) leave() {
	if s.Autosave == "" || s.Files == nil || s.People() == 0 || s.Over() || s.saved == len(s.History) {
		return
	}
	if err := s.keep(); err != nil {
		s.say("The game could not be saved: " + err.Error())
		return
	}
	s.say(fmt.Sprintf("Game saved in %s; to resume it next time, type load before your first move.", s.Autosave))
}

func (s *session) savingHint() string {
	switch {
	case s.Files == nil || s.saved == len(s.History):
		return ""
	case s.Autosave != "" && s.People() > 0:
		return "; it will be saved for load (save FILE saves it elsewhere)"
	}
	return "; save FILE saves it first"
}
