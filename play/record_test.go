package play

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/player"
)

// memoryFiles is a file system in memory.
type memoryFiles map[string]string

func (m memoryFiles) ReadFile(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (m memoryFiles) WriteFile(name string, data []byte) error {
	if strings.HasPrefix(name, "full/") {
		return errors.New("no space left")
	}
	m[name] = string(data)
	return nil
}

const savedGame = `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[Yellow "human"]
[Red "human"]
[Black "human"]
[Result "*"]
[Variant "pacru:players=3"]
[RulesVersion "1"]
[Termination "unterminated"]

1. a7-b6(c5) g9-f8(d9) c9-d8(e8) 2. i7-h8 g1-f2 *
`

func TestSaveAndLoad(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	files := memoryFiles{"letter": "Dear Anna"}
	table := Terminal{Game: game, Seats: people(3), Files: files}
	out, err := runTerminal(t, table, "a7-b6", "c5", "g9-f8(d9)", "c9-d8(e8)", "i7-h8", "g1-f2", "record", "save letter", "save", "save full/x",
		"save a game", "new", "load a game", "record", "undo", "undo", "load nothing", "undo 3")
	require.NoError(t, err)
	require.Equal(t, savedGame, files["a game"])
	require.Equal(t, "Dear Anna", files["letter"])
	require.Equal(t, 2, strings.Count(out, savedGame), "the record before and after")
	for _, part := range []string{
		"Not saved: letter exists and is not a saved game", "Type save and the name of a file.", "Not saved: no space left",
		"Saved in a game.", "Not loaded: file does not exist",
	} {
		require.Contains(t, out, part)
	}

	table.Load = "a game"
	out, err = runTerminal(t, table)
	require.NoError(t, err)
	require.Contains(t, out, "Red to move> ")
	table.Load = "letter"
	_, err = runTerminal(t, table)
	require.ErrorContains(t, err, "letter: PGN: line 1")
}

func TestReadChecksEveryTagAndMove(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	r, err := ReadRecord(game, []byte(savedGame))
	require.NoError(t, err)
	require.Len(t, r.History, 8)
	require.Equal(t, []string{Human, Human, Human}, r.Seats)
	for old, want := range map[string][2]string{
		"c9-d8(e8)":          {"c9-d8(a1)", "line 13: move 3"},
		"i7-h8":              {"i7-h8\ni7-h8", "line 14: move 5"},
		"[Variant \"pacru":   {"[Variant \"shacru", "line 9: Variant: "},
		"RulesVersion \"1\"": {"RulesVersion \"7\"", "line 10: RulesVersion: version is 7"},
		"RulesVersion \"1":   {"RulesVersion \"x", "line 10: RulesVersion: \"x\" is not a number"},
		"[Site \"?\"]":       {"[Event \"?\"]", "line 2: duplicate tag Event"},
		"[Variant ":          {"[Game ", "line 1: no tag"},
		"[Termination ":      {"[FEN \"3;0\"]\n[Termination ", "line 11: FEN: "},
		"i7-h8 ":             {"i7-h8 (2. i7-h8 z9) ", "line 13: move 5"},
		"[Result \"*\"]":     {"[Result \"1-0\"]", "line 8: result"},
		"g1-f2 *":            {"g1-f2 1-0", "line 13: result \"1-0\" of a game of 3 players"},
		"f2 *":               {"f2 0.5,0.5", "line 13: result \"0.5,0.5\" has 2 payoffs"},
		"-f2 *":              {"-f2 2,-1,-1", "line 13: result \"2,-1,-1\": \"2\""},
		"2 *\n":              {"2\n", "line 14: the text ends"},
		"*\n":                {"*\n" + savedGame, "2 games"},
	} {
		_, err := ReadRecord(game, []byte(strings.Replace(savedGame, old, want[0], 1)))
		require.ErrorContains(t, err, want[1], old)
	}
	_, err = ReadStored([]byte("[A \"b\"] *"), games.New)
	require.ErrorContains(t, err, "Variant")
	_, err = ReadStored([]byte(`{"format":99,"what":"tiro games"}`), games.New)
	require.Regexp(t, "^line 1: written by a newer tiro", err)
}

// TestResultOfText: a finished game must have the result of its rules; any other game may have
// ended early, with any result. Black's win is 0-1 whatever its seat.
func TestResultOfText(t *testing.T) {
	const text = "[Variant \"mnk\"]\n[FEN \"xx./oo./...\"]\n[White \"ann\"]\n[Black \"human\"]\n[Termination \"HOW\"]\n1. MOVE RESULT\n"
	read := func(result, move, how string) (*Record, error) {
		return ReadRecord(newGame(t, "mnk"), []byte(strings.NewReplacer("RESULT", result, "MOVE", move, "HOW", how).Replace(text)))
	}
	for _, c := range []struct{ result, move, how, want string }{
		{"1-0", "c3", "normal", ""},
		{"*", "c3", "", `line 6: result "*"`},
		{"0-1", "c3", "", `line 6: result "0-1"`},
		{"1-0", "c2", "time forfeit", ""},
		{"0-1", "c2", "", ""},
		{"1/2-1/2", "c2", "agreement", ""},
	} {
		r, err := read(c.result, c.move, c.how)
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.result, env.FormatPayoffs(r.Payoffs))
		require.Equal(t, []string{"ann", Human}, r.Seats)
	}
	r, err := read("1-0", "c2", Resignation)
	require.NoError(t, err)
	_, resigned := r.Table().Resigned()
	require.True(t, resigned)
	r, err = read("0-1", "c2", Resignation)
	require.NoError(t, err)
	_, resigned = r.Table().Resigned()
	require.False(t, resigned, "ann is not on turn, and no human")

	r, err = read("0-1", "c2", `forfeit: White: illegal move \"e9\"`)
	require.NoError(t, err)
	require.Equal(t, []string{"forfeit", `White: illegal move "e9"`}, []string{r.Ending, r.Detail})
	require.Contains(t, r.Title(), `0-1 (forfeit, White: illegal move "e9"), 1 plies`)
	again, err := ReadRecord(r.Rules, r.PGN())
	require.NoError(t, err)
	require.Equal(t, r.Title(), again.Title())

	four := newGame(t, "pacru:players=4")
	v := env.WinFor(1, 4)
	r = &Record{Rules: four, Seats: []string{"a", "b", "c", "d"}, Start: four.New(), Payoffs: v[:]}
	require.Equal(t, "Yellow a, Red b, Green c, Black d: -0.33 1 -0.33 -0.33, 0 plies", r.Title())
	r.Seats[3] = ""
	require.Contains(t, r.Title(), "Green c, Black: ")

	othello := newGame(t, "othello")
	r = &Record{Rules: othello, Seats: []string{"ann", "bob"}, Start: othello.New(), Payoffs: []float32{1, -1}, Ending: Resignation}
	require.Contains(t, string(r.PGN()), "[Black \"ann\"]\n[White \"bob\"]\n[Result \"0-1\"]\n")
	again, err = ReadRecord(othello, r.PGN())
	require.NoError(t, err)
	require.Equal(t, r.Payoffs, again.Payoffs)
}

// TestRecordIsDocumented: the game in docs/FORMATS.md is written like that.
func TestRecordIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/FORMATS.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(page), "```\n[Event ")
	require.True(t, found)
	example, _, found = strings.Cut("[Event "+example, "```\n")
	require.True(t, found)
	name, ok := RecordGame([]byte(example))
	require.True(t, ok)
	r, err := ReadRecord(newGame(t, name), []byte(example))
	require.NoError(t, err)
	require.Equal(t, []string{Human, "net:bundled"}, r.Seats)
	require.Len(t, r.Lines, 1)
	require.Equal(t, example, string(r.PGN()))
}

// TestRecordsOfRandomGames: games of every kind and their variations survive a round trip
// through their text, at any point of a game.
func TestRecordsOfRandomGames(t *testing.T) {
	for _, name := range []string{
		"mnk", "connect4", "coerceo:win=competitive", "go:size=5", "othello:size=6", "gomoku", "azacru", "shacru", "pacru", "pacru:players=3",
		"shacru:players=4", "go:size=13,handicap=5",
	} {
		game := newGame(t, name)
		r := &Record{Rules: game, Event: "a \\ \"b\"", Round: "7", Start: game.New(), Comments: map[int]string{}}
		rng, state := env.NewRand(3), game.New()
		for seat := range game.Spec().Players {
			r.Seats = append(r.Seats, strings.Repeat("x]\"", seat)+"y")
		}
		check := func() {
			again, err := ReadRecord(game, r.PGN())
			require.NoError(t, err, name)
			require.Equal(t, r.History, again.History)
			require.Equal(t, r.Lines, again.Lines, name)
			require.Equal(t, r.Seats, again.Seats)
			require.Equal(t, r.Payoffs, again.Payoffs)
			require.Equal(t, r.Ending, again.Ending)
			require.Equal(t, []string{r.Event, r.Round}, []string{again.Event, again.Round})
			require.LessOrEqual(t, again.Opening, r.Opening)
			require.Equal(t, string(r.PGN()), string(func() []byte { again.Comments = r.Comments; return again.PGN() }()))
		}
		for _, over := state.Result(); !over && len(r.History) < 300; _, over = state.Result() {
			legal := state.Legal(nil)
			a := legal[rng.IntN(len(legal))]
			r.Comments[len(r.History)] = "+0.25 } {"
			r.History = append(r.History, a)
			r.Lines = nil
			if before := len(r.History) - 1; before > 4 {
				other := append(slices.Clone(r.History[:before]), legal[0])
				r.Lines = [][]env.Action{r.History[:1], other}
			}
			state.Play(a)
			r.Opening = min(3, len(r.History))
			if _, over := state.Result(); over {
				break
			}
			if env.MidTurn(state) || len(r.History)%50 == 0 {
				check()
			}
		}
		r.readOwnResult(state)
		check()
		require.GreaterOrEqual(t, 3, r.Opening)
	}
}

// FuzzReadStored: no text makes a reader panic, and accepted games survive a round trip.
func FuzzReadStored(f *testing.F) {
	f.Add([]byte(savedGame))
	f.Add([]byte("[Variant \"mnk\"]\n1. a1 (1. a2 {b} a3) b1 $3 1-0"))
	f.Add([]byte("(;SZ[5];B[cc];W[cb])"))
	f.Fuzz(func(t *testing.T, data []byte) {
		stored, err := ReadStored(data, games.New)
		if err != nil || len(stored.Games) == 0 {
			return
		}
		for _, g := range stored.Games {
			again, err := ReadStored(g.PGN(), games.New)
			require.NoError(t, err, string(g.PGN()))
			require.Equal(t, g.History, again.Games[0].History)
			require.Equal(t, g.Payoffs, again.Games[0].Payoffs)
		}
	})
}

// An unfinished game is saved, and load without a name resumes it.
func TestGamesAreKept(t *testing.T) {
	files := memoryFiles{}
	table := Terminal{Game: newGame(t, "mnk"), Seats: people(2), Files: files, Autosave: "kept"}
	out, err := runTerminal(t, table, "b2", "a1")
	require.NoError(t, err)
	require.Contains(t, out, "Game saved in kept; to resume it")
	require.Contains(t, files["kept"], "1. b2 a1 *\n")
	out, err = runTerminal(t, table, "load", "record", "quit")
	require.NoError(t, err)
	require.Contains(t, out, "1. b2 a1 *\n")
	require.NotContains(t, out, "is kept", "nothing new")

	answers := []env.Action{1, 4, 7} // b1, b2, b3
	table.Seats[1] = answering(func(context.Context) (env.Action, error) {
		a := answers[0]
		answers = answers[1:]
		return a, nil
	})
	_, err = runTerminal(t, table, "a1", "a3", "c3", "quit")
	require.NoError(t, err)
	require.Contains(t, files["kept"], "3. c3 b3 0-1\n", "a player has ended the game")
}

// typing is a LineReader that simulates Ctrl-C for the line "^C".
type typing struct{ lines []string }

func (l *typing) ReadLine(context.Context, string) (string, error) {
	if len(l.lines) == 0 {
		return "", errors.New("nothing more was expected")
	}
	text := l.lines[0]
	l.lines = l.lines[1:]
	if text == "^C" {
		return "", ErrInterrupted
	}
	return text, nil
}

func TestTwoInterruptsAtThePromptLeave(t *testing.T) {
	files := memoryFiles{}
	table := Terminal{
		Game: newGame(t, "mnk"), Seats: people(2), Files: files, Autosave: "kept",
		Editor: &typing{[]string{"b2", "^C", "a1", "^C", "^C"}},
	}
	out, err := runTerminal(t, table)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(out, "Press Ctrl-C again, or type quit, to leave the game; it will be saved for load"))
	require.Contains(t, files["kept"], "1. b2 a1 *\n")
}

// Ctrl-C interrupts a thinking player. A search then plays its best move so far. For any other
// player a person may move, let the player continue, or take back.
func TestInterruptWhileAPlayerThinks(t *testing.T) {
	game := newGame(t, "connect4")
	slow := newEngine(t, game)
	slow.Search.Simulations = 1 << 30
	searcher, err := NewPlayer("slow", game, slow.Search, slow.Evaluator)
	require.NoError(t, err)
	waits := answering(func(ctx context.Context) (env.Action, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	})
	interrupts := make(chan os.Signal)
	table := Terminal{
		Game: game, Seats: []player.Player{nil, searcher}, Analyst: searcher, Interrupts: interrupts,
		Thinking: func(string) func() {
			go func() { interrupts <- os.Interrupt }()
			return func() {}
		},
	}
	table.Editor = &typing{[]string{"4", "hint", "4", "quit"}}
	out, err := runTerminal(t, table)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(out, "Player 2 (slow) plays "), out)
	require.Contains(t, out, "slow would play ")

	table.Seats = []player.Player{nil, waits}
	table.Analyst = waits
	table.Editor = &typing{[]string{"4", "go", "3", "hint", "undo", "quit"}}
	out, err = runTerminal(t, table)
	require.NoError(t, err)
	require.Contains(t, out, "Player 2 (told) plays 3")
	require.Contains(t, out, "told was stopped without an answer.")
}

// Arguments of commands that take none are refused, and so are invalid numbers. Undo takes back
// several decisions, and hint compares several moves.
func TestNumbersAndExtraWords(t *testing.T) {
	analyst := seated(t, newGame(t, "mnk"), "mcts:50")
	out, err := runTerminal(t, Terminal{Game: newGame(t, "mnk"), Seats: people(2), Analyst: analyst},
		"resign now", "undo x", "hint 0", "b2", "a1", "c3", "undo 2", "hint 5", "undo 9", "undo", "?", "h", "exit")
	require.NoError(t, err)
	for _, part := range []string{
		`resign alone, without "now".`, `Type undo, or undo and a number from 1 to 1000, not "x".`, `Type hint, or hint and a number from 1 to 1000, not "0"`,
		"You have no move to take back.",
	} {
		require.Contains(t, out, part)
	}
	hint := out[strings.Index(out, "would play"):]
	require.Equal(t, 5, strings.Count(hint[:strings.Index(hint, "to move>")], "%")-1)
	require.Equal(t, 2, strings.Count(out, "begin a new game\n"))
}

// Play and engine show the same value for the same move, position and number of simulations.
func TestPlayAndEngineAgree(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo", "pacru:players=3"} {
		game := newGame(t, name)
		e := newEngine(t, game)
		c := player.NetworkConfig(120) // uses Gumbel search at the root
		e.Search = c
		p, err := NewPlayer("engine", game, c, e.Evaluator)
		require.NoError(t, err)
		s := &session{Terminal: Terminal{Game: game, Seats: people(game.Spec().Players)}}
		s.begin(s.newGame(game.New()))
		var last player.Analysis
		thought := thinking{game: game, player: p, state: s.State(), rng: s.rng, decided: func(a player.Analysis) { last = a }}
		require.NoError(t, thought.run(t.Context()))

		var out strings.Builder
		require.NoError(t, e.Run(t.Context(), strings.NewReader("go nodes 120\n"), &out))
		require.Contains(t, out.String(), "bestmove "+strings.Join(notation(game, s.State(), thought.turn), " "))
		share := last.BestValue().Shares(len(s.Seats))[0]
		require.Contains(t, out.String(), fmt.Sprintf("score cp %d wdl %.0f ", centipawns(float64(share)), 1000*share), name)
	}
}
