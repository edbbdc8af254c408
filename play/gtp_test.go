package play

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/env/games"
	"tiro/internal/effort"
	"tiro/player"
)

// runGTP is a GTP program that plays the first legal action, or misbehaves at the second
// genmove.
func runGTP(kind string) {
	game, err := games.New("othello:size=6")
	if err != nil {
		panic(err)
	}
	in, s, moves := bufio.NewScanner(os.Stdin), game.New(), 0
	for in.Scan() {
		answer := ""
		switch words := strings.Fields(in.Text()); words[0] {
		case "quit":
			return
		case "clear_board":
			s = game.New()
		case "play":
			a, err := env.ParseAction(s, words[2])
			if err != nil || strings.ToLower(env.SeatName(game, s.Turn())) != words[1] {
				fmt.Printf("? illegal\n\n")
				continue
			}
			s.Play(a)
		case "genmove":
			a := s.Legal(nil)[0]
			answer = strings.ToUpper(s.ActionString(a))
			s.Play(a)
			if moves++; moves != 2 {
				break
			}
			switch kind {
			case "gtp resigning":
				answer = "resign"
			case "gtp wrong":
				answer = "Z9"
			case "gtp refusing":
				fmt.Printf("? tired\n\n")
				continue
			}
		}
		fmt.Printf("= %s\n\n", answer)
	}
}

// gtp returns a player factory that runs the test binary as a program of the given kind.
func gtp(t *testing.T, game env.Game, kind string) player.Factory {
	t.Helper()
	t.Setenv(programEnv, kind)
	factory, err := programs(game, "gtp:'"+os.Args[0]+"',timeout=1m")
	require.NoError(t, err)
	return factory
}

// TestGTPPrograms: a program plays whole games with its own moves, or forfeits them for a
// reason.
func TestGTPPrograms(t *testing.T) {
	game := newGame(t, "othello:size=6")
	for kind, reason := range map[string]string{
		"gtp good": "", "gtp resigning": "it resigned", "gtp wrong": `illegal move "Z9"`, "gtp refusing": `it refuses "genmove`,
	} {
		t.Run(kind, func(t *testing.T) {
			m := arena.Match{Game: game, Players: []player.Factory{gtp(t, game, kind), player.Must(nil, "random")}, Games: 2, Seed: 1, Workers: 1, Opening: 3}
			report, err := arena.Play(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, 2, report.Games)
			for _, r := range report.Records {
				if reason == "" {
					require.Nil(t, r.Forfeit, "%v", r.Forfeit)
				} else if r.Forfeit != nil {
					require.ErrorContains(t, r.Forfeit, reason)
				}
			}
			require.Equal(t, reason != "", report.Endings[arena.Forfeited] > 0)
		})
	}
}

// A program does not lose time by the commands before a forced move.
func TestGTPForcedMoveUnderAClock(t *testing.T) {
	game := newGame(t, "othello:size=6")
	s, rng, history := game.New(), env.NewRand(1), []env.Action(nil)
	legal := s.Legal(nil)
	for ; len(legal) != 1; legal = s.Legal(nil) {
		history = append(history, legal[rng.IntN(len(legal))])
		s.Play(history[len(history)-1])
	}
	p, err := gtp(t, game, "gtp good").New()
	require.NoError(t, err)
	defer func() { require.NoError(t, player.Close(p)) }()
	clocks := clocksOf(t, "tc=10", "tc=10")
	clocks.Start(int(s.Turn()))
	began := clocks.Started()
	p.(player.Clocked).SetClocks(clocks, 0)
	a, err := p.Choose(t.Context(), s, history, nil)
	require.NoError(t, err)
	require.Equal(t, legal[0], a)
	require.True(t, clocks.Started().After(began))
}

// TestGTPNeedsAGame: GTP players require a game with GTPSetup and a time limit.
func TestGTPNeedsAGame(t *testing.T) {
	factory := gtp(t, newGame(t, "tictactoe"), "gtp good")
	_, err := factory.New()
	require.ErrorContains(t, err, "mnk")
	for _, text := range []string{"gtp:x,nodes=3", "gtp:x,option.a=b", "gtp:"} {
		_, err := player.Parse(text, 16)
		require.Error(t, err, text)
	}
	s, err := player.Parse("gtp:gnugo --mode gtp,time=2s", 16)
	require.NoError(t, err)
	require.Equal(t, "gtp:gnugo --mode gtp,time=2s", s.String())
}

// TestGNUGoPlays plays against GNU Go.
func TestGNUGoPlays(t *testing.T) {
	path, err := exec.LookPath("gnugo")
	if err != nil {
		path = "/usr/games/gnugo"
		if _, err := os.Stat(path); err != nil {
			effort.NotChecked(t, "games against GNU Go: %v", err)
		}
	}
	game := newGame(t, "go:size=7,komi=6.5,handicap=2")
	factory, err := programs(game, "gtp:"+path+" --mode gtp --level 1 --chinese-rules --capture-all-dead --positional-superko,time=1s")
	require.NoError(t, err)
	report, err := arena.Play(t.Context(), arena.Match{Game: game, Players: []player.Factory{factory, player.Must(nil, "random")}, Games: 2, Seed: 1, Workers: 1, Opening: 2})
	require.NoError(t, err)
	require.Zero(t, report.Endings[arena.Forfeited], report.String())
	require.InDelta(t, 2, report.Players[0].Points, 0)
}
