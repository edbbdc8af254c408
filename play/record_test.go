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
	"tiro/player"
)

// memoryFiles are files in memory.
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

const savedGame = `format: 1
what: tiro game
game: pacru:players=3
version: 1
players: Yellow (human), Red (human), Black (human)
result: *

1. a7-b6(c5) g9-f8(d9) c9-d8(e8)
2. i7-h8
`

func TestSaveAndLoad(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	files := memoryFiles{"letter": "Dear Anna"}
	table := Terminal{Game: game, Seats: people(3), Files: files}
	out, err := runTerminal(t, table, "a7-b6", "c5", "g9-f8(d9)", "c9-d8(e8)", "i7-h8", "record", "g1-f2", "save letter", "save", "save full/x",
		"save a game", "new", "load a game", "record", "undo", "undo", "load nothing", "undo 3")
	require.NoError(t, err)
	require.Equal(t, savedGame, files["a game"], "the turn under way is left out")
	require.Equal(t, "Dear Anna", files["letter"])
	require.Equal(t, 2, strings.Count(out, savedGame), "the record before and after")
	for _, part := range []string{
		"Not saved: letter exists and is no game; choose another name", "Want save FILE.", "Not saved: no space left",
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
	require.EqualError(t, err, `play: load: letter: line 1: not a file of this kind by tiro: what is ""; want "tiro game"`)
}

func TestLoadChecksEveryMove(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	_, history, err := ReadRecord(game, []byte(savedGame))
	require.NoError(t, err)
	require.Len(t, history, 7)
	for old, want := range map[string][2]string{
		"c9-d8(e8)":         {"c9-d8(a1)", "line 8: move 5: turn \"c9-d8(a1)\""},
		"i7-h8":             {"i7-h8 i7-h8", "line 9: move 8: turn \"i7-h8\""},
		"format: 1":         {"format: 2", "line 1: written by a newer tiro: format 2, this one reads format 1"},
		"what: tiro game":   {"what: tiro run", "line 2: not a file of this kind by tiro"},
		"game: pacru:":      {"game: shacru:", "line 3: a game of shacru:players=3; this is pacru:players=3"},
		"version: 1":        {"version: 7", "line 4: version 7 of the rules of pacru:players=3; want 1"},
		"result: *":         {"result: *\nresult: *", "line 7: result for the second time"},
		"players: Yellow":   {"place: Yellow", `line 5: unknown key "place"`},
		"players: Yellow (": {"position: 3;0\nplayers: Yellow (", "line 5: position \"3;0\": 2 fields"},
	} {
		_, _, err := ReadRecord(game, []byte(strings.Replace(savedGame, old, want[0], 1)))
		require.ErrorContains(t, err, want[1], old)
	}

	// The result is that of the moves; whoever resigned may play on.
	won := "format: 1\nwhat: tiro game\ngame: mnk\nversion: 1\nposition: xx./oo./...\nplayers: a, b\nresult: RESULT\n\n1. MOVE\n"
	for _, c := range []struct{ result, move, want string }{
		{"1-0 (k-in-row)", "c3", ""},
		{"*", "c3", `line 7: result "*"; the moves lead to 1-0`},
		{"1-0 (k-in-row)", "c2", `line 7: result "1-0"; the moves lead to *`},
		{"* (resignation)", "c2", ""},
	} {
		_, _, err := ReadRecord(newGame(t, "mnk"), []byte(strings.NewReplacer("RESULT", c.result, "MOVE", c.move).Replace(won)))
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestRecordCutOff: a record that ends inside its header, or a finished game inside its
// moves, is not taken for a game that has just begun.
func TestRecordCutOff(t *testing.T) {
	const text = "format: 1\nwhat: tiro game\ngame: mnk\nversion: 1\nplayers: a, b\nresult: 1-0 (k-in-row)\n\n1. a1 a2\n2. b1 b2\n3. c1\n"
	game := newGame(t, "mnk")
	_, _, err := ReadRecord(game, []byte(text))
	require.NoError(t, err)
	for end, want := range map[string]string{
		"":                         "line 1: not a file of this kind by tiro",
		"what: tiro game\ngame:":   "line 3: the header has no game; the file may have been cut off",
		"game: mnk\n":              "line 3: the header has no version; the file may have been cut off",
		"version: 1\n":             "line 4: the header has no players; the file may have been cut off",
		"players: ":                "line 5: the header has no players; the file may have been cut off",
		"players: a":               "line 5: the header has no result; the file may have been cut off",
		"players: a, b\nres":       "line 6: the header has no result; the file may have been cut off",
		"result: ":                 "line 6: the header has no result; the file may have been cut off",
		"result: 1":                `line 6: result "1"; the moves lead to *`,
		"result: 1-0 (k-in-row)\n": `line 6: result "1-0"; the moves lead to *`,
		"1. a1 a2\n2. b1 b2\n3. ":  `line 6: result "1-0"; the moves lead to *`,
	} {
		_, _, err := ReadRecord(game, []byte(text[:strings.Index(text, end)+len(end)]))
		require.ErrorContains(t, err, want, end)
	}
}

// TestRecordIsDocumented: docs/FORMATS.md shows a game as it is saved.
func TestRecordIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/FORMATS.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(page), "```\nformat: 1\nwhat: tiro game\n")
	require.True(t, found)
	example, _, found = strings.Cut(example, "```\n")
	require.True(t, found)
	example = "format: 1\nwhat: tiro game\n" + example
	name, ok := RecordGame([]byte(example))
	require.True(t, ok)
	game := newGame(t, name)
	_, history, err := ReadRecord(game, []byte(example))
	require.NoError(t, err)

	table := NewTable(game, []string{Human, "net:bundled"}, game.New())
	table.Play(history...)
	require.Equal(t, example, string(table.Record().Text()))
}

// Random games come back from their records.
func TestRecordsOfRandomGames(t *testing.T) {
	for _, game := range fuzzed(t) {
		s := NewTable(game, slices.Repeat([]string{Human}, game.Spec().Players), game.New())
		rng := env.NewRand(3)
		for {
			legal := s.State().Legal(nil)
			if len(legal) == 0 || len(s.History) > 300 && !s.MidTurn() {
				break
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
		_, history, err := ReadRecord(game, s.Record().Text())
		require.NoError(t, err, game.Spec().Name)
		require.Equal(t, s.History, history)
	}
}

// A game that is left is kept, and load without a name resumes it.
func TestGamesAreKept(t *testing.T) {
	files := memoryFiles{}
	table := Terminal{Game: newGame(t, "mnk"), Seats: people(2), Files: files, Autosave: "kept"}
	out, err := runTerminal(t, table, "b2", "a1")
	require.NoError(t, err)
	require.Contains(t, out, "The game is kept in kept; next time, load resumes it.")
	require.Contains(t, files["kept"], "1. b2 a1\n")
	out, err = runTerminal(t, table, "load", "record", "quit")
	require.NoError(t, err)
	require.Contains(t, out, "1. b2 a1\n")
	require.NotContains(t, out, "is kept", "nothing new")
}

// typing is a LineReader that presses Ctrl-C where a line is "^C".
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
	require.Equal(t, 2, strings.Count(out, "Ctrl-C again, or quit, leaves the game; it is kept for load"))
	require.Contains(t, files["kept"], "1. b2 a1\n")
}

// Ctrl-C ends the thinking of a player: a search plays the best it has found, and
// for another player a person may move, let it go on, or take back.
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
	interrupts := make(chan struct{})
	table := Terminal{
		Game: game, Seats: []player.Player{nil, searcher}, Analyst: searcher, Interrupts: interrupts,
		Thinking: func(string) func() {
			go func() { interrupts <- struct{}{} }()
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
	require.Contains(t, out, "told was stopped before it had an answer.")
}

// Words after a command that takes none are refused, and so are numbers that are
// none. Undo takes back several decisions, and hint compares several moves.
func TestNumbersAndExtraWords(t *testing.T) {
	analyst := seated(t, newGame(t, "mnk"), "mcts:50")
	out, err := runTerminal(t, Terminal{Game: newGame(t, "mnk"), Seats: people(2), Analyst: analyst},
		"resign now", "undo x", "hint 0", "b2", "a1", "c3", "undo 2", "hint 5", "undo 9", "undo", "?", "h", "exit")
	require.NoError(t, err)
	for _, part := range []string{
		`resign is typed alone, without "now".`, `undo "x"; want a number from 1 to 1000, or nothing.`, `hint "0"; want a number`,
		"There is no move of yours to take back.",
	} {
		require.Contains(t, out, part)
	}
	hint := out[strings.Index(out, "would play"):]
	require.Equal(t, 5, strings.Count(hint[:strings.Index(hint, "to move>")], "%")-1)
	require.Equal(t, 2, strings.Count(out, "begin a new game\n"))
}

// Play and engine show the same value for the same move, position and number of
// simulations.
func TestPlayAndEngineAgree(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo", "pacru:players=3"} {
		game := newGame(t, name)
		e := newEngine(t, game)
		c := player.NetworkConfig(120) // with a Gumbel root
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
		permille := 1000 * last.BestValue().Shares(len(s.Seats))[0]
		require.Contains(t, out.String(), fmt.Sprintf("score permille %.0f pv", permille), name)
	}
}
