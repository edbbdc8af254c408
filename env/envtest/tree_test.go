package envtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

func TestTreesConform(t *testing.T) {
	trees := []struct {
		name    string
		players int
		text    string
	}{
		{"a leaf", 2, "A"},
		{"round the table", 3, "((=(CA)) (=(BB)) ((AA)(AA)))"},
		{"turns of several actions", 4, "a(a(A b(BC)) d(D= [1,-1,0.5,-0.5]))"},
	}
	for _, tree := range trees {
		t.Run(tree.name, func(t *testing.T) { Run(t, MustTree(tree.players, tree.text)) })
	}
}

func TestTreeIsReadAsWritten(t *testing.T) {
	game := MustTree(3, "a( a(B [1, -0.5, -0.5]) c(= A) )")
	s := game.New()
	require.Equal(t, env.Player(0), s.Turn())
	s.Play(0)
	require.Equal(t, env.Player(0), s.Turn(), "a moves twice")
	s.Play(1)
	v, over := s.Result()
	require.True(t, over)
	require.Equal(t, env.Value{1, -0.5, -0.5}, v)
	require.Equal(t, "/0/1", s.String())

	require.NoError(t, s.(env.Positioner).SetPosition("/1"))
	require.Equal(t, env.Player(2), s.Turn())
	s.Play(0)
	v, over = s.Result()
	require.True(t, over)
	require.Zero(t, v)
}

func TestNodesGoRoundTheTable(t *testing.T) {
	s := MustTree(3, "((((A))))").New()
	for _, want := range []env.Player{0, 1, 2, 0} {
		require.Equal(t, want, s.Turn())
		s.Play(0)
	}
}

func TestTreeFaults(t *testing.T) {
	faults := []struct {
		name, text, want string
		players          int
	}{
		{"empty", "", "the text ends before a node", 2},
		{"no children", "(A())", "() contains no node", 2},
		{"not closed", "(A(B)", "unclosed (", 2},
		{"more than a tree", "(AB)B", "'B' after the tree", 2},
		{"winner without a seat", "(AC)", "'C' does not begin a node of 2 players", 2},
		{"mover without a seat", "(A c(A))", "seat 'c' of 2 players", 2},
		{"mover of a leaf", "(a A)", "'A' instead of ( after a lower-case letter", 2},
		{"too few payoffs", "([1,-1])", "2 payoffs for 3 players", 3},
		{"payoff out of range", "([2,-2])", `payoff "2" is not a number from -1 to 1`, 2},
		{"payoffs do not sum to 0", "([1,0])", "sum to 1, not 0", 2},
		{"payoffs not closed", "([1,-1", "unclosed [", 2},
		{"one player", "A", "tree of 1 players, not 2 to 4", 1},
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			_, err := Tree(f.players, f.text)
			require.ErrorContains(t, err, f.want)
		})
	}
}

func FuzzTree(f *testing.F) {
	f.Add(2, "(A(B=))")
	f.Add(3, "b(a([1,-1,0]))")
	f.Fuzz(func(t *testing.T, players int, text string) {
		if len(text) > 1000 {
			return
		}
		if game, err := Tree(players, text); err == nil {
			require.NoError(t, checkLegal(game))
		}
	})
}
