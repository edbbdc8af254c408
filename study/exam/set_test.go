package exam

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/connect4"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player"
)

func newGame(t testing.TB, name string) env.Game {
	t.Helper()
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

func uniform() mcts.Evaluator { return mcts.Uniform{} }

// headerOf returns the first line of a set about connect4.
func headerOf(kind string) string {
	return `{"format":1,"what":"tiro exam set","game":"connect4","version":3,"kind":"` + kind + `","made":""}` + "\n"
}

func TestReadNamesTheLine(t *testing.T) {
	game := newGame(t, "connect4")
	solved, tactics, endgame := headerOf(Solved), headerOf(Tactics), headerOf(Endgame)
	good := `{"moves":"1 1 2 2 3 3","wins":"4"}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "no positions"},
		{"a header alone", solved, "no positions"},
		{"no header", good, `exam: line 1: wrong kind of file: "what" is "", not "tiro exam set"`},
		{"another format", strings.Replace(solved, `:1,`, `:9,`, 1), "exam: line 1: written by a newer tiro: format 9, this one reads format 1"},
		{"another game", strings.Replace(solved, "connect4", "mnk", 1), `exam: line 1: game is "mnk", not "connect4"`},
		{"another version", strings.Replace(solved, `"version":3`, `"version":4`, 1), "exam: line 1: version is 4, but this program reads games of version 1 to 3 of connect4"},
		{"another kind", headerOf("chess"), `exam: line 1: unknown kind "chess" (solved, tactics, endgame, judgement, conversion)`},
		{"no defender", headerOf(Conversion), `exam: line 1: kind conversion, defender "", plies 0`},
		{"no JSON", tactics + good + "4\n", "exam: line 3: the value is a number but must be an object"},
		{"no such field", tactics + `{"move":"1"}`, `exam: line 2: json: unknown field "move"`},
		{"no such move", tactics + good + `{"moves":"1 9","wins":"1"}`, `exam: line 3: move 2: illegal action "9" in ......./......./......./......./......./x......`},
		{"an ended game", tactics + `{"moves":"1 2 1 2 1 2 1","wins":"1"}`, "exam: line 2: the game is over after 7 moves"},
		{"no wins", tactics + `{"moves":"1"}`, `exam: line 2: wins is ""`},
		{"values instead", tactics + `{"moves":"1","values":"1:1"}`, `exam: line 2: values is "1:1"`},
		{"no shortest win", endgame + good, `exam: line 2: shortest is ""`},
		{"a shortest win that is no win", endgame + `{"moves":"1 1 2 2 3 3","wins":"4","shortest":"5"}`, "exam: line 2: shortest: 5 is not"},
		{"no such win", tactics + `{"moves":"1","wins":"8"}`, `exam: line 2: wins: illegal action "8" in ......./......./......./......./......./x......`},
		{"few values", solved + `{"moves":"","values":"1:0 2:0"}`, "exam: line 2: 2 values for 7 actions"},
		{"another action's value", solved + `{"moves":"","values":"1:0 2:0 3:0 4:0 5:0 6:0 6:1"}`, "exam: line 2: no value of 7"},
		{"no such value", solved + `{"moves":"","values":"1:0 2:0 3:2 4:0 5:0 6:0 7:0"}`, `exam: line 2: value "3:2"`},
		{"few results", headerOf(Judgement) + `{"moves":"","results":"1 2"}`, `exam: line 2: results "1 2"`},
		{"no results", headerOf(Judgement) + `{"moves":"","results":"0 0 0"}`, "exam: line 2: results"},
		{"a long line", tactics + good + strings.Repeat("x", maxLine+1), "exam: line 3: bufio.Scanner: token too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text), game)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Read(io.MultiReader(strings.NewReader(tactics+good+good[:5]), brokenReader{}), game)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// TestValuesInAnyOrder: the values of a solved position need not have the order of Legal, which in
// Connect Four depends on the heights of the columns.
func TestValuesInAnyOrder(t *testing.T) {
	game := newGame(t, "connect4")
	for _, values := range []string{"1:0 2:0 3:1 4:0 5:0 6:0 7:-1", "7:-1 3:1 4:0 1:0 6:0 2:0 5:0"} {
		set, err := Read(strings.NewReader(headerOf(Solved)+`{"moves":"4 4 4","values":"`+values+`"}`), game)
		require.NoError(t, err)
		q := set.Questions[0]
		require.Len(t, q.Right, 1)
		require.Equal(t, "3", q.State.ActionString(q.Right[0]))
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// FuzzRead: all accepted positions have a legal action.
func FuzzRead(f *testing.F) {
	f.Add(headerOf(Tactics) + `{"moves":"1 1 2 2 3 3","wins":"4"}`)
	f.Add(headerOf(Judgement) + `{"moves":"","results":"1 2 3"}`)
	f.Add(headerOf(Solved) + `{"moves":"","values":"1:0 2:0 3:1 4:0 5:0 6:0 7:0"}`)
	game := newGame(f, "connect4")
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Read(strings.NewReader(text), game)
		if err != nil {
			require.Empty(t, set.Questions)
			return
		}
		for _, q := range set.Questions {
			legal := q.State.Legal(nil)
			require.NotEmpty(t, legal)
			require.Subset(t, legal, q.Right)
			require.InDelta(t, 1, q.Shares[0]+q.Shares[1], 1e-9)
		}
	})
}

// bundledGames are the games that have folders in sets.
func bundledGames(t *testing.T) (names []string) {
	entries, err := os.ReadDir("sets")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, strings.Replace(e.Name(), "-", ":", 1))
		}
	}
	require.NotEmpty(t, names)
	return names
}

// TestBundled: all sets can be read, which replays every position, and no position of a
// set is there twice.
func TestBundled(t *testing.T) {
	for _, name := range bundledGames(t) {
		t.Run(name, func(t *testing.T) {
			sets, err := Bundled(newGame(t, name))
			require.NoError(t, err)
			files, err := os.ReadDir(filepath.Join("sets", strings.Replace(name, ":", "-", 1)))
			require.NoError(t, err)
			require.Len(t, sets, len(files))
			for _, set := range sets {
				seen := map[uint64]bool{}
				for i, q := range set.Questions {
					require.False(t, seen[q.State.Hash()], "%s line %d is there twice", set.Kind, i+2)
					seen[q.State.Hash()] = true
					if set.Kind == Tactics {
						require.NotEmpty(t, q.Right)
					}
				}
			}
		})
	}
	_, err := Bundled(newGame(t, "gomoku"))
	require.ErrorIs(t, err, ErrNone)
}

// bundledSet returns the bundled set of a kind.
func bundledSet(t *testing.T, game env.Game, kind string) Set {
	t.Helper()
	sets, err := Bundled(game)
	require.NoError(t, err)
	for _, set := range sets {
		if set.Kind == kind {
			return set
		}
	}
	require.FailNow(t, "there is no such set", "%s for %s", kind, game.Spec().Name)
	return Set{}
}

// TestSolvedSetBySolver solves a sample of the set again.
func TestSolvedSetBySolver(t *testing.T) {
	set := bundledSet(t, newGame(t, "connect4"), Solved)
	solver := connect4.NewSolver(20)
	for i := 0; i < len(set.Questions); i += 29 {
		q := &set.Questions[i]
		if len(q.History) < 16 {
			continue // takes long
		}
		best, right := -1, []env.Action(nil)
		for _, a := range q.State.Legal(nil) {
			next := &connect4.State{}
			next.CopyFrom(q.State)
			next.Play(a)
			switch value := -solver.Value(next); {
			case value > best:
				best, right = value, []env.Action{a}
			case value == best:
				right = append(right, a)
			}
		}
		require.Equal(t, right, q.Right, "line %d", i+2)
		require.InDelta(t, float64(best), q.payoff(q.State.Turn(), 2), 1e-9)
	}
}

// TestTacticsByAlphaBeta: alpha-beta search, which is other code, finds no win within
// five actions that a set does not know, and some of those that it knows.
func TestTacticsByAlphaBeta(t *testing.T) {
	const sample = 12
	for _, name := range []string{"azacru", "coerceo", "pacru"} {
		t.Run(name, func(t *testing.T) {
			game := newGame(t, name)
			set := bundledSet(t, game, Tactics)
			analyst, err := player.Must(game, "alphabeta:5").New()
			require.NoError(t, err)
			confirmed := 0
			for i := 0; i < len(set.Questions); i += max(1, len(set.Questions)/sample) {
				q := &set.Questions[i]
				a, err := analyst.Choose(t.Context(), q.State, q.History, env.NewRand(1))
				require.NoError(t, err)
				if analyst.(player.Analyzer).Analysis().Value[q.State.Turn()] == 1 {
					require.Contains(t, q.Right, a, "line %d", i+2)
					confirmed++
				}
			}
			require.Positive(t, confirmed)
		})
	}
}

// TestTooManyPositions: files hold as many positions as docs/FORMATS.md promises, and no more.
func TestTooManyPositions(t *testing.T) {
	if testing.Short() {
		t.Skip("200,000 positions")
	}
	game := newGame(t, "connect4")
	sets := headerOf(Tactics) + strings.Repeat(`{"moves":"1","wins":"2"}`+"\n", maxQuestions)
	set, err := Read(strings.NewReader(sets), game)
	require.NoError(t, err)
	require.Len(t, set.Questions, maxQuestions)
	_, err = Read(strings.NewReader(sets+`{"moves":"1","wins":"2"}`), game)
	require.ErrorContains(t, err, fmt.Sprint(maxQuestions+1))
	solved := strings.Repeat("4 1\n", maxSolved)
	set, err = readText(game, "solved.txt", strings.NewReader(solved))
	require.NoError(t, err)
	require.Len(t, set.Questions, maxSolved)
	_, err = readText(game, "solved.txt", strings.NewReader(solved+"4 1"))
	require.ErrorContains(t, err, "131072")
}
