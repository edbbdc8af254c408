package othello_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/othello"
)

func newGame(t testing.TB, text string) env.Game {
	t.Helper()
	_, o, err := env.ParseName(text)
	require.NoError(t, err)
	game, err := othello.New(o)
	require.NoError(t, err)
	return game
}

// at returns the position after the moves.
func at(t testing.TB, game env.Game, moves string) env.State {
	t.Helper()
	s := game.New()
	for move := range strings.FieldsSeq(moves) {
		a, err := env.ParseAction(s, move)
		require.NoError(t, err)
		s.Play(a)
	}
	return s
}

func TestConformance(t *testing.T) {
	for _, text := range []string{"othello", "othello:size=4", "othello:size=6", "othello:size=10"} {
		t.Run(text, func(t *testing.T) { envtest.Run(t, newGame(t, text)) })
	}
}

// TestPerft compares with A. Bik's counts ("Computing perft for Reversi",
// aartbik.com/strategy.php), in which a pass is a ply.
func TestPerft(t *testing.T) {
	want := []uint64{4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284}
	if testing.Short() {
		want = want[:8]
	}
	s := newGame(t, "othello").New().(env.TurnCounter)
	for i, n := range want {
		require.Equal(t, n, s.Perft(i+1), "depth %d", i+1)
	}
}

// TestFlips: a disc flips lines in all eight directions, but only those that end at a disc
// of its colour.
func TestFlips(t *testing.T) {
	game := newGame(t, "othello:size=6")
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition(
		"X-X-X-"+
			"-OOO--"+
			"XO-OO-"+
			"-OOO--"+
			"X-X-X-"+
			"------ X"))
	a, err := env.ParseAction(s, "c3")
	require.NoError(t, err)
	s.Play(a)
	require.Equal(t, "X-X-X-"+"-XXX--"+"XXXOO-"+"-XXX--"+"X-X-X-"+"------ O", s.String(), "the line to the right has no end")
}

// TestPass: White has discs and empty cells but no move, and Black continues.
func TestPass(t *testing.T) {
	game := newGame(t, "othello:size=4")
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition("XXXX"+"XXXX"+"XXXO"+"XX-- O"))
	require.Equal(t, []string{"pass"}, names(s))
	s.Play(s.Legal(nil)[0])
	require.Equal(t, env.Player(othello.Black), s.Turn())
	require.Equal(t, []string{"d4"}, names(s))
	s.Play(s.Legal(nil)[0])
	v, over := s.Result()
	require.True(t, over)
	require.Equal(t, env.WinFor(othello.Black, 2), v)
	require.Equal(t, "no-moves", s.(env.Ender).Ending())
}

func names(s env.State) (all []string) {
	for _, a := range s.Legal(nil) {
		all = append(all, s.ActionString(a))
	}
	return all
}

// TestShortestGame plays the shortest possible game: White has no discs left after nine
// moves.
func TestShortestGame(t *testing.T) {
	s := at(t, newGame(t, "othello"), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
	v, over := s.Result()
	require.True(t, over)
	require.Equal(t, env.WinFor(othello.Black, 2), v)
	require.NotContains(t, s.String()[:64], "O")
}

// TestSolved: the second player wins by 8 discs on a board of 4 by 4
// (https://en.wikipedia.org/wiki/Computer_Othello).
func TestSolved(t *testing.T) {
	game := newGame(t, "othello:size=4").(env.Solvable)
	s, value, err := game.ParseSolved(game.New().String() + " -8")
	require.NoError(t, err)
	require.Equal(t, -1, value)
	judge := game.NewJudge()
	for _, a := range s.Legal(nil) {
		less, err := judge(t.Context(), s, a, 0)
		require.NoError(t, err)
		require.True(t, less, "no first move draws")
		less, err = judge(t.Context(), s, a, -1)
		require.NoError(t, err)
		require.False(t, less, "nothing is worse than a loss")
		s := game.New()
		s.Play(a)
		wins := 0
		for _, b := range s.Legal(nil) {
			less, err := judge(t.Context(), s, b, 1)
			require.NoError(t, err)
			if !less {
				wins++
			}
		}
		require.Positive(t, wins, "some reply wins")
	}
}

// TestJudgeAgreesWithSearch compares the solver with an exhaustive search of small trees.
func TestJudgeAgreesWithSearch(t *testing.T) {
	game := newGame(t, "othello:size=6").(env.Solvable)
	judge := game.NewJudge()
	var value func(s env.State) float32 // for the player on turn
	value = func(s env.State) float32 {
		if v, over := s.Result(); over {
			return v[s.Turn()]
		}
		best := float32(-1)
		for _, a := range s.Legal(nil) {
			next := game.New()
			next.CopyFrom(s)
			next.Play(a)
			v := value(next)
			if next.Turn() != s.Turn() {
				v = -v
			}
			best = max(best, v)
		}
		return best
	}
	for seed := range uint64(30) {
		rng, s := env.NewRand(seed), game.New()
		for strings.Count(s.String(), "-") > 6 && len(s.Legal(nil)) > 0 {
			legal := s.Legal(nil)
			s.Play(legal[rng.IntN(len(legal))])
		}
		worth := value(s)
		for _, a := range s.Legal(nil) {
			next := game.New()
			next.CopyFrom(s)
			next.Play(a)
			less, err := judge(t.Context(), s, a, int(worth))
			require.NoError(t, err)
			require.Equal(t, -value(next) < worth, less, "%s in %s", s.ActionString(a), s)
		}
	}
}

func TestJudgeHeedsItsContext(t *testing.T) {
	game := newGame(t, "othello").(env.Solvable)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := game.New()
	_, err := game.NewJudge()(ctx, s, s.Legal(nil)[0], 0)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPositionFaults(t *testing.T) {
	s := newGame(t, "othello:size=4").New()
	before := s.String()
	for pos, want := range map[string]string{
		"":                    `to move is ""`,
		"-----XO--OX-----":    "not X or O",
		"-----XO--OX---- X":   "row 4 is 3",
		"-----XO--OX------ X": "number of rows is 5",
		"-----XO--OX----- Z":  `to move is "Z"`,
		"-----XO--OX----- XO": `to move is "XO"`,
		"-----xO--OX----- X":  `'x' in row 2`,
		"-----XO--O------ X":  "fewer than four discs",
	} {
		require.ErrorContains(t, s.(env.Positioner).SetPosition(pos), want)
	}
	require.Equal(t, before, s.String())
}

func TestSolvedFaults(t *testing.T) {
	game := newGame(t, "othello:size=4").(env.Solvable)
	for line, want := range map[string]string{
		"x":                      "(POSITION SCORE)",
		"-----XO--OX----- X 17":  "from -16 to 16",
		"-----XO--OX----- X 1.5": "whole number",
		"XXXXXXXXXXXXXXXX X 16":  "the game is over",
		"---- X 1":               "number of rows is 1",
	} {
		_, _, err := game.ParseSolved(line)
		require.ErrorContains(t, err, want)
	}
}

func TestScorePrefersCorners(t *testing.T) {
	game := newGame(t, "othello")
	s := game.New()
	require.Zero(t, s.(env.Scorer).Score()[othello.Black])
	require.NoError(t, s.(env.Positioner).SetPosition("X--------XO--------------------OX------XO----------------------- O"))
	require.Positive(t, s.(env.Scorer).Score()[othello.Black])
}

func FuzzPositions(f *testing.F) {
	envtest.FuzzPositions(f, newGame(f, "othello"), newGame(f, "othello:size=10"))
}

func FuzzMoves(f *testing.F) {
	envtest.FuzzMoves(f, newGame(f, "othello"), newGame(f, "othello:size=10"))
}
