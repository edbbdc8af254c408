package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// command is a word that a person can type.
type command struct {
	name   string
	help   string
	inGame bool // refused when the game is over
	run    func(s *session, ctx context.Context, args string) error
}

// commands returns all commands, in the order in which help lists them.
func commands() []command {
	return []command{
		{"moves", "list the legal moves; moves d1 only those that begin with d1", false, (*session).moves},
		{"hint", "ask what to play", true, (*session).hint},
		{"undo", "take back to your previous decision", false, (*session).undo},
		{"resign", "give up; with three or more players the others continue", true, (*session).resign},
		{"draw", "claim a draw, where the rules allow it", true, (*session).draw},
		{"board", "draw the board again", false, func(s *session, _ context.Context, _ string) error { s.show(); return nil }},
		{"position", "write the position; position P begins a game at P", false, (*session).position},
		{"sides", "let every player move on by one seat", false, (*session).sides},
		{"new", "begin a new game", false, (*session).newGame},
		{"help", "this list", false, (*session).help},
		{"quit", "leave", false, func(*session, context.Context, string) error { return errQuit }},
	}
}

// execute plays the move or executes the command on a line.
func (s *session) execute(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	if !s.over() {
		if actions, ok := parseActions(s.state, text); ok {
			s.play("", actions...)
			return nil
		}
	}
	word, args, _ := strings.Cut(text, " ")
	for _, c := range commands() {
		switch {
		case !strings.EqualFold(c.name, word):
		case c.inGame && s.over():
			s.out.printf("The game is over already.\n")
			return nil
		default:
			return c.run(s, ctx, strings.TrimSpace(args))
		}
	}
	if s.over() {
		s.out.printf("The game is over: want undo, new or quit, not %q.\n", clip(text))
	} else {
		s.out.printf("%s\n", objection(names(s.state), clip(text)))
	}
	return nil
}

func (s *session) help(context.Context, string) error {
	example := "…, once there is a game"
	if legal := names(s.state); len(legal) > 0 {
		example = legal[0]
	}
	s.out.printf("  %-9s %s\n", "MOVE", "play it, such as "+example)
	if _, ok := s.state.(env.Turner); ok {
		s.out.printf("  %-9s %s\n", "TURN", "play all of it, as the rules write complete turns")
	}
	for _, c := range commands() {
		s.out.printf("  %-9s %s\n", c.name, c.help)
	}
	return nil
}

func (s *session) moves(_ context.Context, prefix string) error {
	some := slices.DeleteFunc(names(s.state), func(name string) bool { return !strings.HasPrefix(name, prefix) })
	if len(some) == 0 {
		s.out.printf("No legal move begins with %q.\n", prefix)
		return nil
	}
	s.out.printf("%s", columns(some))
	return nil
}

func (s *session) undo(context.Context, string) error {
	ply := len(s.history)
	if !s.abandoned() {
		ply = s.lastDecision()
	}
	if ply < 0 {
		s.out.printf("There is no move of yours to take back.\n")
		return nil
	}
	s.rewind(ply)
	s.show()
	return nil
}

// lastDecision returns the number of the last action by a person who had not
// resigned, or -1.
func (s *session) lastDecision() int {
	for ply, seat := range slices.Backward(s.movers) {
		if s.Seats[seat] == nil && !s.hasResigned(seat, ply) {
			return ply
		}
	}
	return -1
}

func (s *session) resign(context.Context, string) error {
	seat := s.state.Turn()
	name := capitalize(s.name(seat))
	s.resigned = append(s.resigned, resignation{seat, len(s.history)})
	if s.abandoned() {
		s.out.printf("%s\nundo, new or quit?\n", s.resultText())
	} else {
		s.out.printf("%s resigns; %s takes the seat.\n", name, s.Analyst.Name())
	}
	return nil
}

func (s *session) draw(context.Context, string) error {
	if c, ok := s.state.(env.Claimer); ok {
		if claim, ok := c.DrawClaim(); ok {
			s.play("", claim)
			return nil
		}
	}
	s.out.printf("There is no draw to claim: the rules of %s give you none in this position.\n", s.Game.Spec().Name)
	return nil
}

func (s *session) position(_ context.Context, pos string) error {
	if pos == "" {
		s.out.printf("%s\n", s.state)
		return nil
	}
	start := s.Game.New()
	if err := setPosition(start, pos); err != nil {
		s.out.printf("%s\n", err)
		return nil
	}
	return s.begin(start)
}

func (s *session) newGame(context.Context, string) error { return s.begin(s.Game.New()) }

// begin begins a new game at start and shows it.
func (s *session) begin(start env.State) error {
	s.start = start
	s.restart()
	s.show()
	return nil
}

func (s *session) sides(context.Context, string) error {
	last := len(s.Seats) - 1
	s.Seats = append([]arena.Player{s.Seats[last]}, s.Seats[:last]...)
	for i := range s.resigned {
		s.resigned[i].seat = (s.resigned[i].seat + 1) % env.Player(len(s.Seats))
	}
	s.show()
	return nil
}

// hintLines is how many actions a hint compares.
const hintLines = 3

func (s *session) hint(ctx context.Context, _ string) error {
	if s.Analyst == nil {
		s.out.printf("There is nobody to ask: no analyst was named.\n")
		return nil
	}
	rng := env.NewRand(s.Seed, s.games, uint64(len(s.Seats)), uint64(len(s.history)))
	a, err := s.Analyst.Choose(ctx, s.state, s.history, rng)
	switch {
	case ctx.Err() != nil && err != nil:
		return err
	case err != nil:
		s.out.printf("%s has no answer: %s\n", s.Analyst.Name(), err)
		return nil
	}
	s.out.printf("%s would play %s", s.Analyst.Name(), s.state.ActionString(a))
	analyzer, ok := s.Analyst.(arena.Analyzer)
	if !ok {
		s.out.printf(".\n")
		return nil
	}
	analysis := analyzer.Analysis()
	s.out.printf(": %s, %d nodes\n", s.valueText(analysis, s.state.Turn()), analysis.Nodes)
	if len(analysis.Lines) < 2 {
		return nil // it compares no actions, or there is only one
	}
	for _, l := range analysis.Lines[:min(hintLines, len(analysis.Lines))] {
		s.out.printf("  %3.0f%%  %7d  %s\n", 100*l.Value.Shares(len(s.Seats))[s.state.Turn()], l.Visits, strings.Join(notation(s.Game, s.state, l.Actions), " "))
	}
	return nil
}

// valueText writes the expected score of a seat once the move of an analysis is
// played.
func (s *session) valueText(a arena.Analysis, seat env.Player) string {
	text := fmt.Sprintf("expected score %.0f%%", 100*a.BestValue().Shares(len(s.Seats))[seat])
	if a.Proven {
		text += " for certain"
	}
	return text
}
