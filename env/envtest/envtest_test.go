package envtest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/mnk"
)

func ticTacToe(t *testing.T) env.Game {
	t.Helper()
	_, options, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(options)
	require.NoError(t, err)
	return game
}

func TestGoodGamePasses(t *testing.T) {
	Run(t, &brokenGame{Game: ticTacToe(t)})
}

// fallOver returns a result function that pays v at the end of the game.
func fallOver(v env.Value) func(*brokenState) (env.Value, bool) {
	return func(s *brokenState) (env.Value, bool) {
		_, over := s.goodState.Result()
		return v, over
	}
}

// TestBrokenGamesAreCaught violates one requirement at a time and requires the
// corresponding check to fail.
func TestBrokenGamesAreCaught(t *testing.T) {
	used := map[string]bool{}
	for _, b := range brokenGames() {
		used[b.check] = true
		t.Run(b.check+"/"+b.name, func(t *testing.T) {
			game := &brokenGame{Game: ticTacToe(t), fault: b.fault}
			for _, c := range checks() {
				if c.name == b.check {
					require.ErrorContains(t, c.run(game), b.want)
				}
			}
		})
	}
	for _, c := range checks() {
		require.True(t, used[c.name], "no broken game for check %s", c.name)
	}
}

type brokenCase struct {
	check, name string
	fault       fault
	want        string
}

func brokenGames() []brokenCase {
	var all []brokenCase
	for _, some := range [][]brokenCase{brokenRules(), brokenStates(), brokenPositions(), brokenAbilities(), brokenTurns()} {
		all = append(all, some...)
	}
	return all
}

func brokenRules() []brokenCase {
	nan := float32(math.NaN())
	return []brokenCase{
		{"spec", "no planes", fault{spec: func(s *env.Spec) { s.Planes = 0 }}, "Planes is 0 but must be at least 1"},
		{"spec", "one player", fault{spec: func(s *env.Spec) { s.Players = 1 }}, "1 players, not 2 to 4"},
		{"spec", "name in two words", fault{spec: func(s *env.Spec) { s.Name = "tic tac" }}, "white space"},
		{"spec", "name is no game string", fault{spec: func(s *env.Spec) { s.Name = "mnk:m" }}, `option "m"`},
		{"legal", "out of range", fault{legal: func(s *brokenState, dst []env.Action) []env.Action {
			return append(s.goodState.Legal(dst), 9)
		}}, "legal action 9 is not 0 to 8"},
		{"legal", "twice the same", fault{legal: func(s *brokenState, dst []env.Action) []env.Action {
			dst = s.goodState.Legal(dst)
			return append(dst, dst[len(dst)-1])
		}}, "do not ascend"},
		{"legal", "dst is thrown away", fault{legal: func(s *brokenState, dst []env.Action) []env.Action {
			return s.goodState.Legal(dst[:0])
		}}, "does not append"},
		{"legal", "none in the middle of the game", fault{legal: func(s *brokenState, dst []env.Action) []env.Action {
			if s.goodState.Hash()%8 == 0 {
				return dst
			}
			return s.goodState.Legal(dst)
		}}, "not over"},
		{"legal", "some at the end of the game", fault{result: func(s *brokenState) (env.Value, bool) {
			return env.Value{}, s.Turn() == 1
		}}, "the game is over, but 8 actions are legal"},
		{"legal", "panics", fault{legal: func(_ *brokenState, dst []env.Action) []env.Action {
			return append(dst, dst[len(dst)])
		}}, "envtest_test.go:"},
		{"turn", "no such seat", fault{turn: func(*brokenState) env.Player { return 2 }}, "turn of seat 2, which is not 0 to 1"},
		{"length", "longer than MaxPlies", fault{spec: func(s *env.Spec) { s.MaxPlies = 8 }}, "continues after MaxPlies = 8"},
		{"payoffs", "sum is not 0", fault{result: fallOver(env.Value{1, -0.5})}, "sum to 0.5, not 0"},
		{"payoffs", "too large", fault{result: fallOver(env.Value{2, -2})}, "payoff 2 of seat 0"},
		{"payoffs", "not a number", fault{result: fallOver(env.Value{nan, 0})}, "payoff NaN of seat 0"},
		{"payoffs", "for a nonexistent seat", fault{result: fallOver(env.Value{0.5, 0, -0.5})}, "payoff -0.5 of seat 2"},
		{"observe", "an element is not written", fault{observe: func(_ *brokenState, dst []float32) {
			dst[26] = nan
		}}, "element 26 is NaN"},
		{"observe", "infinite", fault{observe: func(_ *brokenState, dst []float32) {
			dst[3] = float32(math.Inf(1))
		}}, "element 3 is +Inf"},
		{"observe", "different each time", fault{observe: func(s *brokenState, dst []float32) {
			dst[5] = float32(s.game.calls.Add(1))
		}}, "element 5 is 1, then 2"},
		{"observe", "changes the state", fault{
			observe: func(s *brokenState, _ []float32) { s.extra++ },
			hash:    func(s *brokenState) uint64 { return uint64(s.extra) },
		}, "changes the hash"},
		{"names", "empty", fault{actionString: func(*brokenState, env.Action) string { return "" }}, "not a word"},
		{"names", "two words", fault{actionString: func(s *brokenState, a env.Action) string {
			return "to " + s.goodState.ActionString(a)
		}}, `"to a1", which is not a word`},
		{"names", "one name for two", fault{actionString: func(s *brokenState, a env.Action) string {
			return s.goodState.ActionString(a)[:1]
		}}, `both named "a"`},
		{"names", "other names each time", fault{actionString: func(s *brokenState, a env.Action) string {
			return strings.Repeat("'", int(s.game.calls.Add(1))) + s.goodState.ActionString(a)
		}}, "illegal action"},
	}
}

func brokenStates() []brokenCase {
	return []brokenCase{
		{"start", "one state for all", fault{new: func(g *brokenGame) env.State {
			if g.sink == nil {
				g.sink = &brokenState{goodState: g.Game.New().(goodState), game: g}
			}
			return g.sink.(env.State)
		}}, "playing on one start position changes another"},
		{"start", "starts differ", fault{new: func(g *brokenGame) env.State {
			s := g.Game.New().(goodState)
			s.Play(env.Action(g.calls.Add(1)))
			return &brokenState{goodState: s, game: g}
		}}, "two start positions differ"},
		{"replay", "a memory beyond the position", fault{
			play: func(s *brokenState, _ env.Action) { s.extra += int(s.game.calls.Add(1)) },
			hash: func(s *brokenState) uint64 { return uint64(s.extra) },
		}, "a replay differs: hash"},
		{"copies", "share memory", fault{copyFrom: func(s, src *brokenState) {
			s.goodState = src.goodState
		}}, "changes the"},
		{"copies", "leave something out", fault{
			play:     func(s *brokenState, _ env.Action) { s.extra++ },
			hash:     func(s *brokenState) uint64 { return uint64(s.extra) },
			copyFrom: func(s, src *brokenState) { s.goodState.CopyFrom(src.goodState) },
		}, "a copy differs: hash"},
		{"hash", "always the same", fault{hash: func(*brokenState) uint64 { return 1 }}, "have the same hash 0x1"},
		{"hash", "leaves out a clock that ends the game", fault{
			play: func(s *brokenState, a env.Action) { s.extra = 10*s.extra + int(a) },
			result: func(s *brokenState) (env.Value, bool) {
				v, over := s.goodState.Result()
				return v, over || s.extra%100 == 12
			},
		}, "have the same hash"},
		{"concurrent", "shared memory", fault{
			play: func(s *brokenState, _ env.Action) { s.extra += int(s.game.calls.Add(1)) },
			hash: func(s *brokenState) uint64 { return uint64(s.extra) },
		}, "different hashes"},
		{"allocations", "in Legal", fault{legal: func(s *brokenState, dst []env.Action) []env.Action {
			s.game.sink = make([]int, 10)
			return s.goodState.Legal(dst)
		}}, "Legal: "},
		{"allocations", "in Play", fault{play: func(s *brokenState, _ env.Action) {
			s.game.sink = make([]int, 10)
		}}, "Play: "},
	}
}

func brokenPositions() []brokenCase {
	return []brokenCase{
		{"positions", "String is another", fault{text: func(s *brokenState) string {
			return s.goodState.String() + "!"
		}}, "but Position is"},
		{"positions", "refuses its own", fault{setPosition: func(s *brokenState, pos string) error {
			return s.goodState.SetPosition("?" + pos)
		}}, "the position's own string"},
		{"positions", "reads another", fault{setPosition: func(s *brokenState, pos string) error {
			return s.goodState.SetPosition(strings.Replace(pos, "xo", "ox", 1))
		}}, "is read back as"},
		{"positions", "keeps what was", fault{
			play:        func(s *brokenState, _ env.Action) { s.extra++ },
			hash:        func(s *brokenState) uint64 { return uint64(s.extra) },
			setPosition: func(s *brokenState, pos string) error { return s.goodState.SetPosition(pos) },
		}, "set on a used state"},
		{"positions", "the hash omits a clock", fault{
			play:    func(s *brokenState, _ env.Action) { s.extra++ },
			observe: func(s *brokenState, dst []float32) { dst[0] = float32(s.extra) },
			setPosition: func(s *brokenState, pos string) error {
				s.extra = 0
				return s.goodState.SetPosition(pos)
			},
		}, "with the same hash"},
		{"positions", "an error leaves traces", fault{setPosition: func(s *brokenState, pos string) error {
			err := s.goodState.SetPosition(pos)
			if err != nil {
				s.CopyFrom(s.game.New())
			}
			return err
		}}, "is rejected, but changes the state"},
		{"positions", "panics", fault{setPosition: func(s *brokenState, pos string) error {
			_ = pos[8]
			return s.goodState.SetPosition(pos)
		}}, "panic on position"},
		{"positions", "accepts what it cannot write", fault{
			setPosition: func(s *brokenState, pos string) error {
				if err := s.goodState.SetPosition(pos); err != nil {
					s.extra = 1
				}
				return nil
			},
			text: func(s *brokenState) string { return s.goodState.String()[s.extra:] },
		}, "differs when read back"},
	}
}

func brokenAbilities() []brokenCase {
	change := func(edit func(sym *env.Symmetry)) func([]env.Symmetry) []env.Symmetry {
		return func(all []env.Symmetry) []env.Symmetry {
			sym := env.Symmetry{
				Input:  append([]int32(nil), all[1].Input...),
				Action: append([]env.Action(nil), all[1].Action...),
			}
			edit(&sym)
			return []env.Symmetry{all[0], sym}
		}
	}
	return []brokenCase{
		{"symmetries", "none", fault{symmetries: func([]env.Symmetry) []env.Symmetry { return nil }}, "no symmetries"},
		{"symmetries", "no identity", fault{symmetries: func(all []env.Symmetry) []env.Symmetry {
			return all[1:]
		}}, "the first symmetry must be the identity"},
		{"symmetries", "no permutation", fault{symmetries: change(func(s *env.Symmetry) {
			s.Action[0] = s.Action[1]
		})}, "symmetry 1: action 1 maps to"},
		{"symmetries", "actions of another", fault{symmetries: change(func(s *env.Symmetry) {
			s.Action[0], s.Action[1] = s.Action[1], s.Action[0]
		})}, "symmetry 1: random game"},
		{"symmetries", "planes of another", fault{symmetries: change(func(s *env.Symmetry) {
			s.Input[0], s.Input[1] = s.Input[1], s.Input[0]
		})}, "observation element"},
		{"symmetries", "another start position", fault{new: func(g *brokenGame) env.State {
			s := &brokenState{goodState: g.Game.New().(goodState), game: g}
			s.goodState.Play(0)
			return s
		}}, "add SetImage"},
		{"symmetries", "too short", fault{symmetries: change(func(s *env.Symmetry) {
			s.Input = s.Input[:9]
		})}, "9 inputs and 9 actions, not 81 and 9"},
		{"symmetries", "images that are copies", fault{new: newCopying}, "the image of the position is not"},
		{"endings", "none", fault{ending: func(*brokenState) string { return "" }}, `over is true, but the ending is ""`},
		{"endings", "always", fault{ending: func(*brokenState) string { return "full" }}, "over is false"},
		{"samples", "the last one always", fault{sample: func(s *brokenState, _ *rand.Rand) env.Action {
			legal := s.Legal(nil)
			return legal[len(legal)-1]
		}}, "from the list it would be"},
		{"samples", "drawn twice", fault{sample: func(s *brokenState, rng *rand.Rand) env.Action {
			a := s.goodState.Sample(rng)
			rng.Uint64()
			return a
		}}, "uses the generator differently"},
		{"samples", "a list after all", fault{sample: func(s *brokenState, rng *rand.Rand) env.Action {
			legal := s.Legal(nil)
			s.game.sink = legal
			return legal[rng.IntN(len(legal))]
		}}, "allocations"},
		{"finishing", "none", fault{finishing: func(_ *brokenState, dst, _ []env.Action) []env.Action { return dst }}, "Finishing omits it"},
		{"finishing", "the last one first", fault{finishing: func(_ *brokenState, dst, legal []env.Action) []env.Action {
			return append(append(dst, legal[len(legal)-1:]...), legal...)
		}}, "illegal or out of order"},
		{"scores", "as high as a win", fault{score: func(*brokenState) env.Value { return env.WinFor(0, 2) }}, "score 1 of seat 0"},
		{"scores", "both are better", fault{score: func(*brokenState) env.Value { return env.Value{0.5, 0.5} }}, "do not balance"},
		{"repetitions", "the start has occurred before", fault{occurred: 2}, "start: last occurred 2 plies ago, 0 quiet plies"},
		{"ownership", "no class", fault{ownership: func(_ *brokenState, dst []int8, _ *brokenState) env.Value {
			dst[4] = 3
			return env.Value{}
		}}, "cell 4 has class 3, not 0 to 2 or -1"},
		{"ownership", "a cell is not written", fault{ownership: func(_ *brokenState, dst []int8, _ *brokenState) env.Value {
			dst[8] = math.MaxInt8
			return env.Value{}
		}}, "cell 8 has class 127"},
		{"pictures", "an unescaped sign", fault{picture: "<p>&</p>"}, "not well-formed XML"},
		{"rules", "no move", fault{rules: &env.Rules{Text: "Play."}}, "no move is shown"},
		{"rules", "an illegal move", fault{rules: &env.Rules{Text: "`d2`", Moves: []env.ShownMove{{Move: "d2"}}}}, `move "d2" at "": illegal action`},
		{"rules", "a wrong position", fault{rules: &env.Rules{Text: "`b2`", Moves: []env.ShownMove{{Move: "b2", Position: "?"}}}}, `move "b2" at "?": mnk position "?": number of rows is 1`},
		{"rules", "an illegal move in a position", fault{rules: &env.Rules{Text: "`b2`", Moves: []env.ShownMove{{Move: "b2", Position: ".../.x./..."}}}}, `move "b2" at ".../.x./...": illegal action`},
		{"rules", "a move that is not tested", fault{rules: &env.Rules{Text: "`b2` or `c3`", Moves: []env.ShownMove{{Move: "b2"}}}}, `move "c3" in the text is not among the moves`},
		{"rules", "a move that is not shown", fault{rules: &env.Rules{Text: "`b2`", Moves: []env.ShownMove{{Move: "b2"}, {Move: "c3"}}}}, `move "c3" is not in the text`},
		{"rules", "a backquote too many", fault{rules: &env.Rules{Text: "`b2`, `c3", Moves: []env.ShownMove{{Move: "b2"}}}}, "3 backquotes around 1 moves"},
		{"rules", "a wide picture", fault{rules: &env.Rules{Text: strings.Repeat(" x", 40)}}, "line of 80 columns, more than 72"},
		{"rules", "a tab", fault{rules: &env.Rules{Text: " a\tb"}}, `line " a\tb" contains characters that cannot be printed`},
		{"rules", "a place left open", fault{rules: &env.Rules{Text: "Take {tiles}."}}, "unfilled placeholder"},
		{"description", "without a frame", fault{describe: func(d *env.Description) { d.Frame = "" }}, "no frame"},
		{"description", "a plane too few", fault{describe: func(d *env.Description) { d.Planes = d.Planes[1:] }}, "8 planes and 1 policy planes are described, but the game has 9 and 1"},
		{"description", "two planes of one name", fault{describe: func(d *env.Description) { d.Planes[2].Name = d.Planes[0].Name }}, `plane 2 is named "own-stones"`},
		{"description", "a plane without a meaning", fault{describe: func(d *env.Description) { d.Planes[1].Meaning = "" }}, `plane 1: meaning ""`},
		{"description", "an action badly formatted", fault{describe: func(d *env.Description) { d.Actions[0] = "step %!d(MISSING)" }}, "policy plane 0: meaning"},
		{"description", "two cells of one name", fault{cellName: func(cell int) string { return "a" + strconv.Itoa(cell%8) }}, `cells 0 and 8 of seat 0 are both "a0"`},
		{"description", "no cell has a name", fault{cellName: func(int) string { return "" }}, "no cell of seat 0 has a name"},
		{"description", "an action has another name", fault{actionName: func(a env.Action) string { return "c3" }}, `action 0 of seat 0 is "a1", but its name is "c3"`},
		{"ownership", "without a class for each seat", fault{spec: func(s *env.Spec) { s.OwnershipClasses = 1 }}, "OwnershipClasses is 1, fewer than the 2 seats"},
		{"ownership", "of a seat, not of the mover", fault{ownership: func(_ *brokenState, dst []int8, _ *brokenState) env.Value {
			for i := range dst {
				dst[i] = min(dst[i], 0)
			}
			return env.Value{}
		}}, "but for the previous position"},
		{"ownership", "another each time", fault{ownership: func(_ *brokenState, dst []int8, earlier *brokenState) env.Value {
			for i, class := range dst {
				if strings.Count(earlier.String(), ".")&2 != 0 {
					dst[i] = []int8{-1, 1, 0, 2}[class+1]
				}
			}
			return env.Value{}
		}}, "but for the same player 2 plies before"},
		{"ownership", "a board that is not turned", fault{ownership: func(_ *brokenState, dst []int8, _ *brokenState) env.Value {
			for i := range dst {
				dst[i] = 2
			}
			dst[0] = 0
			return env.Value{}
		}}, "the classes have"},
		{"ownership", "a corner of its own", fault{ownership: func(_ *brokenState, dst []int8, _ *brokenState) env.Value {
			dst[0] = 2
			return env.Value{}
		}}, "instead of the image"},
		{"ownership", "score of one seat", fault{ownership: func(*brokenState, []int8, *brokenState) env.Value {
			return env.Value{0.5}
		}}, "sum to 0.5, not 0"},
		{"ownership", "score of the mover", fault{ownership: func(_ *brokenState, _ []int8, earlier *brokenState) env.Value {
			return env.Value{0.5, -0.5}.From(earlier.Turn(), 2).BySeat(0, 2)
		}}, "but for the previous position"},
		{"ownership", "changes the state", fault{
			ownership: func(s *brokenState, _ []int8, _ *brokenState) env.Value {
				s.extra++
				return env.Value{}
			},
			hash: func(s *brokenState) uint64 { return uint64(s.extra) },
		}, "Ownership changes a position"},
		{"drawing", "no last newline", fault{draw: func(s *brokenState, screen env.Screen) string {
			return strings.TrimSpace(s.goodState.Draw(screen))
		}}, "does not end in a newline"},
		{"drawing", "always in colour", fault{draw: func(s *brokenState, screen env.Screen) string {
			return "\x1b[1m" + s.goodState.Draw(screen)
		}}, "escape sequence"},
	}
}
