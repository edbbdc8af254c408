package play

import (
	"context"
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/env"
)

// command is a word that a person can type.
type command struct {
	name string
	help string
	run  func(s *session, ctx context.Context, args string) error
}

// commands returns all of them, in the order in which help shows them.
func commands() []command {
	return []command{
		{"moves", "list the legal moves; moves d1 only those that begin with d1", (*session).moves},
		{"hint", "ask what to play", (*session).hint},
		{"undo", "take back to your previous decision", (*session).undo},
		{"resign", "give up; of three or more players the others go on", (*session).resign},
		{"draw", "claim a draw, where the rules allow it", (*session).draw},
		{"board", "draw the board again", (*session).board},
		{"position", "write the position; position P begins a game at P", (*session).position},
		{"sides", "let every player move on by one seat", (*session).sides},
		{"new", "begin a new game", (*session).fresh},
		{"help", "this list", (*session).help},
		{"quit", "leave", func(*session, context.Context, string) error { return errQuit }},
	}
}

// obey does what a line says: a move, or else a command.
func (s *session) obey(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	if !s.over() {
		if actions, ok := read(s.state, text); ok {
			s.play("", actions...)
			return nil
		}
	}
	word, args, _ := strings.Cut(text, " ")
	for _, c := range commands() {
		if strings.EqualFold(c.name, word) {
			return c.run(s, ctx, strings.TrimSpace(args))
		}
	}
	if s.over() {
		s.out.say("The game is over: want undo, new or quit, not %q.\n", clip(text))
		return nil
	}
	s.out.say("%s\n", objection(names(s.state), clip(text)))
	return nil
}

func (s *session) help(context.Context, string) error {
	s.out.say("  %-9s %s\n", "MOVE", "play it, such as "+names(s.state).example())
	if _, ok := s.state.(env.Turner); ok {
		s.out.say("  %-9s %s\n", "TURN", "play all of it, as the rules write complete turns")
	}
	for _, c := range commands() {
		s.out.say("  %-9s %s\n", c.name, c.help)
	}
	return nil
}

func (s *session) moves(_ context.Context, args string) error {
	var some moveNames
	for _, name := range names(s.state) {
		if strings.HasPrefix(name, args) {
			some = append(some, name)
		}
	}
	if len(some) == 0 {
		s.out.say("No legal move begins with %q.\n", args)
		return nil
	}
	s.out.say("%s", some.columns())
	return nil
}

func (s *session) undo(context.Context, string) error {
	plies := len(s.turns)
	if s.abandoned() {
		s.rewind(plies)
		s.show()
		return nil
	}
	for plies--; plies >= 0; plies-- {
		if seat := s.turns[plies]; s.Seats[seat] == nil && !s.resignedBefore(seat, plies) {
			s.rewind(plies)
			s.show()
			return nil
		}
	}
	s.out.say("There is no move of yours to take back.\n")
	return nil
}

func (s *session) resign(context.Context, string) error {
	if s.over() {
		s.out.say("The game is over already.\n")
		return nil
	}
	seat := s.state.Turn()
	name := upper(s.name(seat))
	s.left = append(s.left, resignation{seat, len(s.actions)})
	if s.abandoned() {
		s.out.say("%s\nundo, new or quit?\n", s.verdict())
	} else {
		s.out.say("%s resigns; %s takes the seat.\n", name, s.Analyst.Name())
	}
	return nil
}

func (s *session) draw(context.Context, string) error {
	if s.over() {
		s.out.say("The game is over already.\n")
		return nil
	}
	var claim env.Action
	c, ok := s.state.(env.Claimer)
	if ok {
		claim, ok = c.DrawClaim()
	}
	if !ok {
		s.out.say("There is no draw to claim: the rules of %s give you none in this position.\n", s.Game.Spec().Name)
		return nil
	}
	s.play("", claim)
	return nil
}

func (s *session) board(context.Context, string) error {
	s.show()
	return nil
}

func (s *session) position(_ context.Context, args string) error {
	if args == "" {
		s.out.say("%s\n", s.state)
		return nil
	}
	start := s.Game.New()
	if err := setPosition(start, args); err != nil {
		s.out.say("%s\n", err)
		return nil
	}
	s.start = start
	s.restart()
	s.show()
	return nil
}

func (s *session) sides(context.Context, string) error {
	last := len(s.Seats) - 1
	s.Seats = append([]arena.Player{s.Seats[last]}, s.Seats[:last]...)
	for i := range s.left {
		s.left[i].seat = (s.left[i].seat + 1) % env.Player(len(s.Seats))
	}
	s.show()
	return nil
}

func (s *session) fresh(context.Context, string) error {
	s.start = s.Game.New()
	s.restart()
	s.show()
	return nil
}

// hintLines is how many actions a hint compares.
const hintLines = 3

func (s *session) hint(ctx context.Context, _ string) error {
	switch {
	case s.over():
		s.out.say("The game is over already.\n")
		return nil
	case s.Analyst == nil:
		s.out.say("There is nobody to ask: no analyst was named.\n")
		return nil
	}
	rng := env.NewRand(s.Seed, s.games, uint64(len(s.Seats)), uint64(len(s.actions)))
	a, err := s.Analyst.Choose(ctx, s.state, s.actions, rng)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		s.out.say("%s has no answer: %s\n", s.Analyst.Name(), err)
		return nil
	}
	t, ok := s.Analyst.(arena.Analyzer)
	if !ok {
		s.out.say("%s would play %s.\n", s.Analyst.Name(), s.state.ActionString(a))
		return nil
	}
	thought := t.Analysis()
	s.out.say("%s would play %s: %s, %d nodes\n", s.Analyst.Name(), s.state.ActionString(a), s.expects(thought, s.state.Turn()), thought.Nodes)
	if len(thought.Lines) < 2 {
		return nil // it compares no actions, or there is but one
	}
	for _, l := range thought.Lines[:min(hintLines, len(thought.Lines))] {
		s.out.say("  %+.2f  %7d  %s\n", l.Value, l.Visits, strings.Join(spell(s.Game, s.state, l.Actions), " "))
	}
	return nil
}

// expects says what a player expects for seat: the value, and the share of the
// points that it stands for.
func (s *session) expects(t arena.Analysis, seat env.Player) string {
	text := fmt.Sprintf("value %+.2f (%.0f%% of the points)", t.Value[seat], 100*t.Value.Shares(len(s.Seats))[seat])
	if t.Proven {
		text += " for certain"
	}
	return text
}
