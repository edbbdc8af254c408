package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/player"
)

type command struct {
	name   string
	args   string // arguments, for help; "" for none
	help   string
	inGame bool // refused after the end of the game
	run    func(s *session, ctx context.Context, args string) error
}

func (s *session) commands() []command {
	list := []command{
		{"moves", "[START]", "list the legal moves, or those that begin with START", true, (*session).moves},
		{"hint", "[N]", "show the best move, and compare N moves", true, (*session).hint},
		{"go", "", "let the engine make the next move", true, (*session).goOn},
		{"undo", "[N]", "take back your last move, or your last N moves", false, (*session).undo},
		{"resign", "", "give up; with three or more players, other humans continue", true, (*session).resign},
		{"draw", "", "claim a draw, where the rules allow it", true, (*session).draw},
		{"board", "", "draw the board again", false, func(s *session, _ context.Context, _ string) error { s.show(); return nil }},
		{"record", "", "list the moves that were played", false, (*session).list},
		{"position", "[P]", "write the position; position P begins a game at P", false, (*session).position},
		{"sides", "", "let every player move on by one seat", false, (*session).sides},
		{"new", "", "begin a new game", false, (*session).restart},
		{"help", "", "this list; also ? or h", false, (*session).help},
		{"quit", "", "leave; also exit or q", false, func(*session, context.Context, string) error { return errQuit }},
	}
	if s.Files != nil {
		list = slices.Insert(list, len(list)-2,
			command{"save", "FILE", "save the game; a game of Go or Othello as SGF if the name ends in .sgf", false, (*session).saveFile},
			command{"load", "[FILE]", "load a game; without FILE, your last game", false, (*session).loadFile})
	}
	if s.Outcome != nil {
		list = slices.Insert(list, 2,
			command{"chances", "[on]", "show the network's win chances; on: below every board, until off", false, (*session).showChances})
	}
	if _, ok := s.Game.(env.Explainer); ok {
		list = slices.Insert(list, 0, command{"rules", "", "explain the rules", false, (*session).rules})
	}
	return list
}

var synonyms = map[string]string{"?": "help", "h": "help", "exit": "quit", "q": "quit"}

// execute plays the move or runs the command on a line.
func (s *session) execute(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	if !s.Over() {
		if actions, err := s.Parse(text); err == nil {
			s.playTurn("", actions)
			return nil
		}
	}
	word, args, _ := strings.Cut(text, " ")
	args = strings.TrimSpace(args)
	if name, ok := synonyms[strings.ToLower(word)]; ok {
		word = name
	}
	for _, c := range s.commands() {
		switch {
		case !strings.EqualFold(c.name, word):
		case c.inGame && s.Over():
			s.say("The game is over.")
			return nil
		case c.args == "" && args != "":
			s.say(fmt.Sprintf("Type %s alone, without %q.", c.name, clip(args)))
			return nil
		default:
			return c.run(s, ctx, args)
		}
	}
	if s.Over() {
		s.say(fmt.Sprintf("The game is over; type undo, new or quit, not %q.", clip(text)))
	} else {
		s.say(objection(names(s.State()), clip(text)))
	}
	return nil
}

// parseNumber parses the optional argument of a command, a number from 1 to 1000. The default
// is otherwise. It prints a message if args is not such a number.
func (s *session) parseNumber(command, args string, otherwise int) (n int, ok bool) {
	if args == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 || n > 1000 {
		s.say(fmt.Sprintf("Type %s, or %s and a number from 1 to 1000, not %q.", command, command, clip(args)))
		return 0, false
	}
	return n, true
}

func (s *session) help(context.Context, string) error {
	example := ""
	if legal := names(s.State()); len(legal) > 0 {
		example = ", such as " + legal[0]
	}
	s.out.printf("  %-13s play a move%s\n", "MOVE", example)
	if _, ok := s.State().(env.Turner); ok {
		s.out.printf("  %-13s play a complete turn, in the notation of the rules\n", "TURN")
	}
	for _, c := range s.commands() {
		s.out.printf("  %-13s %s\n", c.name+" "+c.args, c.help)
	}
	part := []string{"half", "a third of", "a quarter of"}[len(s.Seats)-2]
	s.say(fmt.Sprintf("Ctrl-C makes a thinking player move at once. A draw counts as %s a win.", part))
	return nil
}

func (s *session) rules(context.Context, string) error {
	columns, _ := s.Size()
	s.out.printf("%s", s.Game.(env.Explainer).Rules().Format(columns-1))
	return nil
}

func (s *session) moves(_ context.Context, prefix string) error {
	some := slices.DeleteFunc(names(s.State()), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	if len(some) == 0 {
		s.say(fmt.Sprintf("No legal move begins with %q.", clip(prefix)))
		return nil
	}
	columns, _ := s.Size()
	s.out.printf("%s", table(some, columns-2))
	return nil
}

func (s *session) list(context.Context, string) error {
	s.out.printf("%s", s.Record().PGN())
	return nil
}

func (s *session) undo(_ context.Context, args string) error {
	n, ok := s.parseNumber("undo", args, 1)
	if !ok {
		return nil
	}
	s.paused = false
	for i := range n {
		switch ply := s.LastDecision(); {
		case ply >= 0:
			s.Rewind(ply)
			s.since, s.reports, s.saved = nil, nil, min(s.saved, ply)
		case i == 0 && s.former == nil:
			s.say("You have no move to take back.")
			return nil
		case i == 0:
			s.begin(s.former)
			s.say("Back in the previous game.")
		}
	}
	s.show()
	return nil
}

func (s *session) resign(context.Context, string) error {
	seat := s.State().Turn()
	name := capitalize(s.name(seat))
	if err := s.Resign(); err != nil {
		s.say(capitalize(err.Error()) + ".")
		return nil
	}
	if s.Over() {
		s.say(s.resultText())
	} else {
		s.say(fmt.Sprintf("%s resigns; %s takes the seat.", name, s.Analyst.Name()))
	}
	return nil
}

func (s *session) draw(context.Context, string) error {
	if c, ok := s.State().(env.Claimer); ok {
		if claim, ok := c.DrawClaim(); ok {
			s.playTurn("", []env.Action{claim})
			return nil
		}
	}
	s.say(fmt.Sprintf("The rules of %s allow no draw claim in this position.", s.Game.Spec().Name))
	return nil
}

func (s *session) position(_ context.Context, pos string) error {
	if pos == "" {
		s.out.printf("%s\n", s.State())
		return nil
	}
	start, err := PositionAfter(s.Game, pos, nil)
	if err != nil {
		s.say(err.Error())
		return nil
	}
	return s.beginAt(start)
}

func (s *session) restart(context.Context, string) error { return s.beginAt(s.Game.New()) }

// beginAt begins a game at start and shows it. Undo returns to the previous game.
func (s *session) beginAt(start env.State) error {
	s.paused = false
	s.begin(s.newGame(start))
	s.show()
	return nil
}

func (s *session) saveFile(_ context.Context, name string) error {
	if name == "" {
		s.say("Type save and the name of a file.")
		return nil
	}
	text, err := s.Record().PGN(), error(nil)
	if strings.HasSuffix(strings.ToLower(name), ".sgf") {
		if text, err = s.Record().SGF(); err != nil {
			s.say("Not saved: " + err.Error() + ".")
			return nil
		}
	}
	old, err := s.Files.ReadFile(name)
	if _, ok := RecordGame(old); err == nil && !ok {
		err = fmt.Errorf("%s exists and is not a saved game", name)
	} else if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = s.Files.WriteFile(name, text)
	}
	if err != nil {
		s.say("Not saved: " + err.Error())
		return nil
	}
	s.saved = len(s.History)
	s.say(fmt.Sprintf("Saved in %s.", name))
	return nil
}

func (s *session) loadFile(_ context.Context, name string) error {
	if name == "" {
		name = s.Autosave
	}
	if name == "" {
		s.say("Type load and the name of a file.")
		return nil
	}
	if err := s.load(name); err != nil {
		s.say("Not loaded: " + err.Error())
		return nil
	}
	s.paused = false
	s.show()
	return nil
}

func (s *session) sides(context.Context, string) error {
	last := len(s.Seats) - 1
	s.Seats = append([]player.Player{s.Seats[last]}, s.Seats[:last]...)
	s.rotate()
	s.seat()
	s.paused = false
	s.show()
	return nil
}

// goOn lets the player on turn move, which may have been stopped before. For a human the
// analyst moves.
func (s *session) goOn(ctx context.Context, _ string) error {
	p := s.occupant(s.State().Turn())
	if p == nil {
		p = s.Analyst
	}
	if p == nil {
		s.say(noAnalyst)
		return nil
	}
	s.paused = false
	return s.letPlay(ctx, p)
}

const (
	hintLines = 3
	noAnalyst = "No engine is available for hints and moves."
)

func (s *session) hint(ctx context.Context, args string) error {
	n, ok := s.parseNumber("hint", args, hintLines)
	if !ok {
		return nil
	}
	if s.Analyst == nil {
		s.say(noAnalyst)
		return nil
	}
	var decisions []player.Analysis
	t, err := s.think(ctx, s.Analyst, func(a player.Analysis) { decisions = append(decisions, a) })
	switch {
	case ctx.Err() != nil:
		return err
	case err != nil:
		s.say(fmt.Sprintf("%s has no answer: %s", s.Analyst.Name(), err))
		return nil
	case t == nil:
		s.say(fmt.Sprintf("%s was stopped without an answer.", s.Analyst.Name()))
		return nil
	}
	turn := strings.Join(notation(s.Game, s.State(), t.turn), " ")
	if len(decisions) == 0 {
		s.say(fmt.Sprintf("%s would play %s.", s.Analyst.Name(), turn))
		return nil
	}
	last := decisions[len(decisions)-1]
	s.say(fmt.Sprintf("%s would play %s: %s, %s", s.Analyst.Name(), turn, s.valueText(last, s.State().Turn()), env.Plural(t.nodes, "node")))
	if len(decisions[0].Lines) < 2 {
		return nil // the analyst compares no moves, or there is only one
	}
	// Only the chosen move has the rest of the turn.
	lines := slices.Clone(decisions[0].Lines)
	lines[0].Value = last.BestValue()
	lines[0].Actions = slices.Concat(t.turn[:len(t.turn)-1], last.Lines[0].Actions)
	columns, _ := s.Size()
	for _, l := range lines[:min(n, len(lines))] {
		text := fmt.Sprintf("  %3.0f%% %6d  %s", 100*l.Value.Shares(len(s.Seats))[s.State().Turn()], l.Visits,
			strings.Join(notation(s.Game, s.State(), l.Actions), " "))
		s.out.printf("%s\n", cut(text, columns-1))
	}
	return nil
}
