package play

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player"
)

// programEnv is an environment variable. If it names a program, the test binary runs as that
// program instead of running tests.
const programEnv = "TIRO_TEST_PROGRAM"

// runProgram answers UGI commands as one of several programs, most of them hostile.
func runProgram(kind string) {
	if kind == "engine" || strings.HasPrefix(kind, "engine ") {
		game, err := games.New(strings.TrimPrefix(kind, "engine "))
		if err == nil {
			c := player.NetworkConfig(16)
			err = Engine{Game: game, Name: "E", Author: "A", Search: c, Evaluator: mcts.Uniform{}, Now: time.Now}.Run(context.Background(), os.Stdin, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if kind == "keeper" {
		keeper()
	}
	if strings.HasPrefix(kind, "gtp ") {
		runGTP(kind)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for moves := 0; in.Scan(); {
		switch words := strings.Fields(in.Text()); words[0] {
		case "ugi":
			if kind != "bare" {
				fmt.Println("id name Hostile\noption name Skill type spin default 1 min 1 max 9")
			}
			fmt.Println("ugiok")
		case "isready":
			fmt.Println("garbage \x00\xff\nbestmove z9\nreadyok") // the move is stale
		case "quit":
			if kind != "deaf" {
				return
			}
		case "go":
			if moves++; moves == 1 {
				misbehave(kind)
			}
			fmt.Println("info depth 1 nodes 12 pv x\nbestmove z9")
		}
	}
	for kind == "deaf" {
		time.Sleep(time.Second)
	}
}

// misbehave answers the command go.
func misbehave(kind string) {
	switch kind {
	case "silent", "deaf":
		time.Sleep(time.Hour)
	case "crashing":
		fmt.Fprintln(os.Stderr, "loading\npanic: no module named a_name_of_more_than_forty_bytes\nrun x --help")
		os.Exit(7)
	case "leaving":
		os.Exit(0)
	case "cut off":
		fmt.Print("bestmove a1") // such as a1-b1
		os.Exit(0)
	case "flooding":
		for {
			fmt.Println("info string " + strings.Repeat("flood", 100))
		}
	case "endless":
		for {
			fmt.Print(strings.Repeat("x", 1000))
		}
	case "mute":
		fmt.Println("bestmove")
	case "none":
		fmt.Println("bestmove 0000")
	}
}

// ugi returns a player factory that runs the test binary as a program of the given kind.
func ugi(t *testing.T, game env.Game, kind, settings string) player.Factory {
	t.Helper()
	t.Setenv(programEnv, kind)
	factory, err := programs(game, "ugi:'"+os.Args[0]+"'"+settings)
	require.NoError(t, err)
	return factory
}

// programs returns the player factory for a description.
func programs(game env.Game, text string) (player.Factory, error) {
	s, err := player.Parse(text, 16)
	if err != nil {
		return player.Factory{}, err
	}
	return s.Factory(game, player.Resources{Program: StartProgram})
}

// TestHostilePrograms: a misbehaving program forfeits its games, the report gives the reason,
// and the match finishes.
func TestHostilePrograms(t *testing.T) {
	game := newGame(t, "tictactoe")
	for kind, reason := range map[string]string{
		"silent":   "no bestmove within 8s",
		"deaf":     "no bestmove within 8s",
		"crashing": `the program ended before bestmove (exit status 7, stderr: "panic: no module named a_name_of_more_than_forty_bytes; run x --help")`,
		"leaving":  "the program ended before bestmove (exit status 0)",
		"cut off":  "the program ended before bestmove (exit status 0)",
		"flooding": "wrote more than 16777216 bytes without bestmove",
		"endless":  "wrote more than 16777216 bytes without bestmove",
		"lying":    `illegal move "z9"`,
		"mute":     "bestmove without a move",
		"none":     `illegal move "0000"`,
	} {
		t.Run(kind, func(t *testing.T) {
			timeout := ",timeout=1m" // reached only by silent programs
			if kind == "silent" || kind == "deaf" {
				timeout = ",timeout=8s" // a slow machine can start them in time
			}
			program := ugi(t, game, kind, timeout)
			report, err := arena.Play(t.Context(), arena.Match{Game: game, Players: []player.Factory{program, player.Must(nil, "random")}, Games: 2, Seed: 1, Workers: 2, Opening: 1})
			require.NoError(t, err)
			require.Equal(t, 2, report.Games)
			require.Equal(t, map[string]int{arena.Forfeited: 2}, report.Endings)
			require.Zero(t, report.Players[0].Points)
			for _, r := range report.Records {
				require.Equal(t, reason, r.Forfeit.Reason)
				require.Equal(t, 0, r.Seating[r.Forfeit.Seat])
			}
		})
	}
}

// TestProgramPlaysAsItself: an engine over pipes plays the same games as within the process,
// even if turns have several actions and openings end within a turn.
func TestProgramPlaysAsItself(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo", "pacru:players=3", "azacru"} {
		t.Run(name, func(t *testing.T) {
			game := newGame(t, name)
			program := ugi(t, game, "engine "+name, ",sims=16,option.Hash=64")
			inside, err := player.Searching("inside", game, within(game, player.NetworkConfig(16), 64), 0, player.Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }})
			require.NoError(t, err)
			play := func(players ...player.Factory) (moves [][]string) {
				m := arena.Match{Game: game, Players: players, Seed: 3, Workers: 2, Opening: 5, Adjudication: arena.Adjudication{MaxPlies: 40}}
				m.Games = m.Group()
				report, err := arena.Play(t.Context(), m)
				require.NoError(t, err)
				require.Zero(t, report.Endings[arena.Forfeited], report.String())
				for _, r := range report.Records {
					moves = append(moves, r.Moves)
				}
				return moves
			}
			require.Equal(t, play(inside, player.Must(nil, "random")), play(program, player.Must(nil, "random")))
		})
	}
}

// A stopped match counts no game of a program as forfeited.
func TestStoppedProgramForfeitsNothing(t *testing.T) {
	game := newGame(t, "tictactoe")
	program := ugi(t, game, "silent", "")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	report, err := arena.Play(ctx, arena.Match{Game: game, Players: []player.Factory{program, player.Must(nil, "random")}, Games: 4, Seed: 1, Workers: 2})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, report.Games)
}

func TestProgramsAreChecked(t *testing.T) {
	game := newGame(t, "tictactoe")
	t.Setenv(programEnv, "lying")
	self := "'" + os.Args[0] + "'"
	for command, want := range map[string]string{
		"no-such-program-anywhere":      "no-such-program-anywhere",
		self + ",option.Courage=9":      `option "Courage" (Skill)`,
		self + ",timeout=9s,option.X=1": `option "X"`,
	} {
		t.Run(command, func(t *testing.T) {
			factory, err := programs(game, "ugi:"+command)
			require.NoError(t, err)
			_, err = factory.New()
			require.ErrorContains(t, err, want)
		})
	}
	t.Setenv(programEnv, "bare")
	factory, err := programs(game, "ugi:"+self+",option.Skill=3")
	require.NoError(t, err)
	_, err = factory.New()
	require.ErrorContains(t, err, `option "Skill" (the program has none)`)

	t.Setenv(programEnv, "lying")
	factory, err = programs(game, "ugi:"+self+",time=20ms,option.skill=3")
	require.NoError(t, err)
	p, err := factory.New()
	require.NoError(t, err)
	require.Equal(t, "ugi:"+self+",time=20ms,option.skill=3", p.Name())
	require.NoError(t, p.(*ugiPlayer).Close())
}
