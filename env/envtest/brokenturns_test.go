package envtest

import (
	"context"
	"errors"

	"tiro/env"
)

// turnFault describes how a broken game differs in turns and exact values.
type turnFault struct {
	seatName    func(p env.Player) string
	lastTurn    func(s *brokenState) string
	parseTurn   func(s *brokenState, text string) ([]env.Action, error)
	record      func(r *brokenRecord)
	recorded    any // instead of the record
	perft       func(n uint64, depth int) uint64
	divide      func(turns []env.CountedTurn) []env.CountedTurn
	drawClaim   func(s *brokenState) (env.Action, bool)
	prompt      string
	parseSolved func() error
	judge       func(wrong bool) bool
}

type brokenRecord struct {
	Position string        `json:"pos"`
	Result   string        `json:"result"`
	Children []brokenChild `json:"children"`
}

type brokenChild struct {
	Move  string `json:"move"`
	After string `json:"after"`
}

var (
	_ env.SeatNamer    = (*brokenGame)(nil)
	_ env.Solvable     = (*brokenGame)(nil)
	_ env.Turner       = (*brokenState)(nil)
	_ env.TurnRecorder = (*brokenState)(nil)
	_ env.TurnCounter  = (*brokenState)(nil)
	_ env.Claimer      = (*brokenState)(nil)
)

func (g *brokenGame) SeatName(p env.Player) string {
	if g.fault.turns.seatName != nil {
		return g.fault.turns.seatName(p)
	}
	return "xo"[p : p+1]
}

func (g *brokenGame) ParseSolved(string) (env.State, int, error) {
	if g.fault.turns.parseSolved != nil {
		return g.New(), 0, g.fault.turns.parseSolved()
	}
	return nil, 0, errors.New("there are no solved positions")
}

func (g *brokenGame) NewJudge() func(ctx context.Context, s env.State, a env.Action, value int) (bool, error) {
	solution, err := Solve(g.Game, 10_000)
	return func(_ context.Context, s env.State, a env.Action, value int) (bool, error) {
		next := env.After(g, s)
		next.Play(a)
		wrong := int(solution.values[next.(*brokenState).goodState.Hash()][s.Turn()]) < value
		if g.fault.turns.judge != nil {
			wrong = g.fault.turns.judge(wrong)
		}
		return wrong, err
	}
}

func (s *brokenState) LastTurn() string {
	if s.game.fault.turns.lastTurn != nil {
		return s.game.fault.turns.lastTurn(s)
	}
	return s.goodState.ActionString(s.last)
}

func (s *brokenState) ParseTurn(text string) ([]env.Action, error) {
	if s.game.fault.turns.parseTurn != nil {
		return s.game.fault.turns.parseTurn(s, text)
	}
	a, err := env.ParseAction(s.goodState, text)
	return []env.Action{a}, err
}

func (s *brokenState) Record() any {
	if s.game.fault.turns.recorded != nil {
		return s.game.fault.turns.recorded
	}
	r := brokenRecord{Position: s.String(), Result: env.FormatResult(s, 2)}
	for _, t := range s.divide() {
		r.Children = append(r.Children, brokenChild{t.Move, t.After.(*brokenState).String()})
	}
	if s.game.fault.turns.record != nil {
		s.game.fault.turns.record(&r)
	}
	return r
}

func (s *brokenState) Perft(depth int) (n uint64) {
	if depth == 0 {
		n = 1
	} else {
		for _, t := range s.divide() {
			n += t.After.Perft(depth - 1)
		}
	}
	if s.game.fault.turns.perft != nil {
		n = s.game.fault.turns.perft(n, depth)
	}
	return n
}

func (s *brokenState) Divide() []env.CountedTurn {
	turns := s.divide()
	if s.game.fault.turns.divide != nil {
		turns = s.game.fault.turns.divide(turns)
	}
	return turns
}

func (s *brokenState) divide() (turns []env.CountedTurn) {
	for _, a := range s.Legal(nil) {
		next := env.After(s.game, s).(*brokenState)
		next.Play(a)
		turns = append(turns, env.CountedTurn{Move: s.goodState.ActionString(a), After: next})
	}
	return turns
}

func (s *brokenState) DrawClaim() (claim env.Action, legal bool) {
	if s.game.fault.turns.drawClaim != nil {
		return s.game.fault.turns.drawClaim(s)
	}
	return -1, false
}

func (s *brokenState) Prompt() string { return s.game.fault.turns.prompt }

func brokenTurns() []brokenCase {
	turns := func(name string, f turnFault, check, want string) brokenCase {
		return brokenCase{check, name, fault{turns: f}, want}
	}
	return []brokenCase{
		turns("two words", turnFault{seatName: func(env.Player) string { return "the x" }}, "seats", `"the x", which is not a word`),
		turns("one name for two", turnFault{seatName: func(env.Player) string { return "x" }}, "seats", `seats 0 and 1 are both named "x"`),
		turns("not written", turnFault{lastTurn: func(*brokenState) string { return "" }}, "turns", "LastTurn is empty"),
		turns("not read", turnFault{parseTurn: func(*brokenState, string) ([]env.Action, error) {
			return nil, errors.New("no such turn")
		}}, "turns", "the turn played: no such turn"),
		turns("read as another", turnFault{parseTurn: func(s *brokenState, _ string) ([]env.Action, error) {
			return s.Legal(nil)[:1], nil
		}}, "turns", "were played"),
		turns("no object", turnFault{recorded: "record"}, "records", "cannot unmarshal"),
		turns("no JSON", turnFault{recorded: func() {}}, "records", "unsupported type"),
		turns("of another position", turnFault{record: func(r *brokenRecord) { r.Position = "?" }}, "records", `the record is of "?"`),
		turns("over too early", turnFault{record: func(r *brokenRecord) { r.Result = "1-0" }}, "records", `the result in the record is "1-0"`),
		turns("a turn that is none", turnFault{record: func(r *brokenRecord) {
			r.Children = append(r.Children, brokenChild{"z9", ""})
		}}, "records", `illegal action "z9"`),
		turns("leads elsewhere", turnFault{record: func(r *brokenRecord) {
			r.Children = append(r.Children, brokenChild{r.Children[0].Move, r.Position})
		}}, "records", "but in the record to"),
		turns("none of depth 0", turnFault{perft: func(n uint64, depth int) uint64 { return n * uint64(depth) }}, "counts", "perft 0 is 0"),
		turns("one too many", turnFault{perft: func(n uint64, depth int) uint64 { return n + uint64(depth%2) }}, "counts", "perft 1 is 10, but there are 9 turns"),
		turns("one name for two", turnFault{divide: func(turns []env.CountedTurn) []env.CountedTurn {
			for i := range turns {
				turns[i].Move = "a1"
			}
			return turns
		}}, "counts", `two turns are named "a1"`),
		turns("divided otherwise", turnFault{divide: func(turns []env.CountedTurn) []env.CountedTurn {
			for i := range turns {
				turns[i].After = turns[0].After.(*brokenState).divide()[0].After
			}
			return turns
		}}, "counts", "perft 2 is 72, but its turns have"),
		turns("between turns", turnFault{prompt: "a field"}, "prompts", `the prompt is "a field", but in the middle of a turn is false`),
		turns("not legal", turnFault{drawClaim: func(*brokenState) (env.Action, bool) { return 9, true }}, "claims", "DrawClaim returns true"),
		turns("no draw", turnFault{drawClaim: func(s *brokenState) (env.Action, bool) {
			for _, a := range s.Legal(nil) {
				return a, true
			}
			return -1, false
		}}, "claims", "instead of a draw"),
		turns("everything is solved", turnFault{parseSolved: func() error { return nil }}, "solver", "an empty line"),
		turns("nothing is wrong", turnFault{judge: func(bool) bool { return false }}, "solver", "the judge returns false"),
		turns("everything is wrong", turnFault{judge: func(bool) bool { return true }}, "solver", "the judge returns true"),
	}
}
