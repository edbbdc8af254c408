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

const savedGame = `format: 2
what: tiro game
game: pacru:players=3
version: 1
players: Yellow (human), Red (human), Black (human)
result: *

1. a7-b6(c5) g9-f8(d9) c9-d8(e8)
2. i7-h8 g1-f2
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
	require.ErrorContains(t, err, "letter: line 1")
}

func TestLoadChecksEveryMove(t *testing.T) {
	game := newGame(t, "pacru:players=3")
	table, _, err := ReadRecord(game, []byte(savedGame))
	require.NoError(t, err)
	require.Len(t, table.History, 8)
	require.Equal(t, []string{Human, Human, Human}, table.Seats)
	for old, want := range map[string][2]string{
		"c9-d8(e8)":         {"c9-d8(a1)", "line 8: move 3"},
		"i7-h8":             {"i7-h8 i7-h8", "line 9: move 2"},
		"format: 2":         {"format: 3", "line 1: "},
		"what: tiro game":   {"what: tiro run", "line 2: "},
		"game: pacru:":      {"game: shacru:", "line 3: "},
		"version: 1":        {"version: 7", "line 4: version 7"},
		"result: *":         {"result: *\nresult: *", "line 7: duplicate result"},
		"result: *\n":       {"result: *\nline: a7-b6 z9\n", "line 7: move 2"},
		"players: Yellow":   {"place: Yellow", `line 5: unknown key "place"`},
		"players: Yellow (": {"position: 3;0\nplayers: Yellow (", `line 5: position "3;0"`},
	} {
		_, _, err := ReadRecord(game, []byte(strings.Replace(savedGame, old, want[0], 1)))
		require.ErrorContains(t, err, want[1], old)
	}

	// The result must match the moves. A player who resigned may continue later.
	won := "format: 2\nwhat: tiro game\ngame: mnk\nversion: 1\nposition: xx./oo./...\nplayers: a, b\nresult: RESULT\n\n1. MOVE\n"
	for _, c := range []struct{ result, move, want string }{
		{"1-0 (k-in-row)", "c3", ""},
		{"*", "c3", `line 7: result "*"`},
		{"1-0 (k-in-row)", "c2", `line 7: result "1-0"`},
		{"* (player 1 resigned)", "c2", ""},
	} {
		_, _, err := ReadRecord(newGame(t, "mnk"), []byte(strings.NewReplacer("RESULT", c.result, "MOVE", c.move).Replace(won)))
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestRecordCutOff: a truncated record is refused, both within its header and within the moves
// of a finished game. It is never read as a new game.
func TestRecordCutOff(t *testing.T) {
	const text = "format: 2\nwhat: tiro game\ngame: mnk\nversion: 1\nplayers: a, b\nresult: 1-0 (k-in-row)\n\n1. a1 a2\n2. b1 b2\n3. c1\n"
	game := newGame(t, "mnk")
	_, _, err := ReadRecord(game, []byte(text))
	require.NoError(t, err)
	for end, want := range map[string]string{
		"":                         "line 1: wrong kind of file",
		"what: tiro game\ngame:":   "line 3: the header has no game",
		"game: mnk\n":              "line 3: the header has no version",
		"version: 1\n":             "line 4: the header has no players",
		"players: ":                "line 5: the header has no players",
		"players: a":               "line 5: the header has no result",
		"players: a, b\nres":       "line 6: the header has no result",
		"result: ":                 "line 6: the header has no result",
		"result: 1":                `line 6: result "1"`,
		"result: 1-0 (k-in-row)\n": `line 6: result "1-0"`,
		"1. a1 a2\n2. b1 b2\n3. ":  `line 6: result "1-0"`,
	} {
		_, _, err := ReadRecord(game, []byte(text[:strings.Index(text, end)+len(end)]))
		require.ErrorContains(t, err, want, end)
	}
}

// TestRecordIsDocumented: the game in docs/FORMATS.md has the format of saved games.
func TestRecordIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/FORMATS.md")
	require.NoError(t, err)
	_, example, found := strings.Cut(string(page), "```\nformat: 2\nwhat: tiro game\n")
	require.True(t, found)
	example, _, found = strings.Cut(example, "```\n")
	require.True(t, found)
	example = "format: 2\nwhat: tiro game\n" + example
	name, ok := RecordGame([]byte(example))
	require.True(t, ok)
	game := newGame(t, name)
	table, _, err := ReadRecord(game, []byte(example))
	require.NoError(t, err)
	require.Equal(t, []string{Human, "net:bundled"}, table.Seats)
	require.Equal(t, example, string(table.Record().Text()))
}

// Random games and their variations survive a round trip through a record, at any point of a
// game.
func TestRecordsOfRandomGames(t *testing.T) {
	for _, game := range append(fuzzed(t), newGame(t, "azacru"), newGame(t, "shacru")) {
		s := NewTable(game, slices.Repeat([]string{Human}, game.Spec().Players), game.New())
		rng := env.NewRand(3)
		for len(s.History) < 300 && !s.Over() {
			legal := s.State().Legal(nil)
			s.Play(legal[rng.IntN(len(legal))])
			if s.MidTurn() || len(s.History)%50 == 0 {
				read, lines, err := ReadRecord(game, s.Record(s.History, s.History[:1]).Text())
				require.NoError(t, err, game.Spec().Name)
				require.Equal(t, s.History, read.History)
				require.Equal(t, [][]env.Action{s.History, s.History[:1]}, lines)
			}
		}
		read, _, err := ReadRecord(game, s.Record().Text())
		require.NoError(t, err, game.Spec().Name)
		require.Equal(t, s.History, read.History)
	}
}

// An unfinished game is saved, and load without a name resumes it.
func TestGamesAreKept(t *testing.T) {
	files := memoryFiles{}
	table := Terminal{Game: newGame(t, "mnk"), Seats: people(2), Files: files, Autosave: "kept"}
	out, err := runTerminal(t, table, "b2", "a1")
	require.NoError(t, err)
	require.Contains(t, out, "Game saved in kept; type load")
	require.Contains(t, files["kept"], "1. b2 a1\n")
	out, err = runTerminal(t, table, "load", "record", "quit")
	require.NoError(t, err)
	require.Contains(t, out, "1. b2 a1\n")
	require.NotContains(t, out, "is kept", "nothing new")
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
	require.Contains(t, files["kept"], "1. b2 a1\n")
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
		permille := 1000 * last.BestValue().Shares(len(s.Seats))[0]
		require.Contains(t, out.String(), fmt.Sprintf("score permille %.0f pv", permille), name)
	}
}
