package player

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
)

func newGame(t testing.TB, name string) env.Game {
	t.Helper()
	game, err := games.New(name)
	require.NoError(t, err)
	return game
}

// playNamed plays actions given by name.
func playNamed(t testing.TB, s env.State, names ...string) {
	t.Helper()
	for _, name := range names {
		a, err := env.ParseAction(s, name)
		require.NoError(t, err)
		s.Play(a)
	}
}

// answers returns the actions that a player chooses in s, for some seeds.
func answers(t *testing.T, f Factory, s env.State) map[string]bool {
	t.Helper()
	p, err := f.New()
	require.NoError(t, err)
	chosen := map[string]bool{}
	for seed := range uint64(10) {
		a, err := p.Choose(t.Context(), s, nil, env.NewRand(seed))
		require.NoError(t, err)
		chosen[s.ActionString(a)] = true
	}
	return chosen
}

// Coerceo's start position without one piece of White, and without one of Black.
const (
	whiteBehind = "14.12.02.24.14.0a.09.28.28.00.05.05.09.11.22.24.11.12.22 w 0 0"
	blackBehind = "14.12.0a.24.14.0a.09.28.28.00.04.05.09.11.22.24.11.12.22 w 0 0"
)

// Whoever is behind goes back to where the game has been before; whoever is ahead
// does not, nor does a player who only looks at material.
func TestStubbornRepeatsWhenBehind(t *testing.T) {
	game := newGame(t, "coerceo")
	back := "c1f-c1b" // Black's, to the first position for the second time
	for _, c := range []struct {
		name, from string
		player     Factory
		repeats    bool
	}{
		{"behind", blackBehind, Must(game, "stubborn:2"), true},
		{"ahead", whiteBehind, Must(game, "stubborn:2"), false},
		{"behind, not stubborn", blackBehind, Must(game, "alphabeta:2"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := game.New()
			require.NoError(t, s.(env.Positioner).SetPosition(c.from))
			playNamed(t, s, "c4a-c4c", "c1b-c1f", "c4c-c4a")
			chosen := answers(t, c.player, s)
			if c.repeats {
				require.Equal(t, map[string]bool{back: true}, chosen)
			} else {
				require.NotContains(t, chosen, back)
			}
		})
	}
}

// The third occurrence ends the game as a draw.
func TestStubbornDrawsWhenBehind(t *testing.T) {
	game := newGame(t, "coerceo")
	for from, draws := range map[string]bool{blackBehind: true, whiteBehind: false} {
		s := game.New()
		require.NoError(t, s.(env.Positioner).SetPosition(from))
		playNamed(t, s, "c4a-c4c", "c1b-c1f", "c4c-c4a", "c1f-c1b", "c4a-c4c", "c1b-c1f", "c4c-c4a")
		p, err := Must(game, "stubborn:2").New()
		require.NoError(t, err)
		a, err := p.Choose(t.Context(), s, nil, env.NewRand(1))
		require.NoError(t, err)
		s.Play(a)
		require.Equal(t, draws, s.(env.Ender).Ending() == "repetition", from)
	}
}

// In a game where no position comes back, it plays as alpha-beta does.
func TestStubbornElsewhere(t *testing.T) {
	game := newGame(t, "connect4")
	s := game.New()
	for over := false; !over; _, over = s.Result() {
		require.Equal(t, answers(t, Must(game, "alphabeta:3"), s), answers(t, Must(game, "stubborn:3"), s), s)
		s.Play(s.Legal(nil)[0])
	}
}

// Of lines that lead to the same material, the one without exchanges.
func TestStubbornWaits(t *testing.T) {
	quiet, busy := &waiting{quiet: 12}, &waiting{}
	require.Greater(t, patience(quiet), patience(busy))
	require.Less(t, patience(&waiting{quiet: 1 << 20}), float32(mostPatience)+1e-9)
	require.Zero(t, patience(newGame(t, "connect4").New()))
}

type waiting struct {
	env.State
	quiet int
}

func (s *waiting) LastOccurrence() int { return 0 }
func (s *waiting) Quiet() int          { return s.quiet }

func TestStubbornWants(t *testing.T) {
	_, err := Plain(envtest.MustTree(2, "(AB)"), "stubborn:1")
	require.ErrorContains(t, err, "tree has no heuristic score")
}
