package env_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

func TestCheckNetwork(t *testing.T) {
	trained := env.Spec{Name: "go:komi=7", Players: 2, Planes: 8, Height: 9, Width: 10, PolicyPlanes: 3, MaxPlies: 100, Version: 4}
	for _, test := range []struct {
		name   string
		change func(s *env.Spec)
		want   string
	}{
		{"the same", func(*env.Spec) {}, ""},
		{"other options", func(s *env.Spec) { s.Name, s.MaxPlies = "go", 200 }, ""},
		{"another game", func(s *env.Spec) { s.Name = "goban" }, "it is another game"},
		{"version", func(s *env.Spec) { s.Version = 5 }, "its version is 5, not 4"},
		{"seats", func(s *env.Spec) { s.Players, s.Planes = 3, 12 }, "its number of seats is 3, not 2"},
		{"rows", func(s *env.Spec) { s.Height = 8 }, "its number of rows is 8, not 9"},
		{"columns", func(s *env.Spec) { s.Width = 9 }, "its number of columns is 9, not 10"},
		{"planes", func(s *env.Spec) { s.Planes = 9 }, "its number of observation planes is 9, not 8"},
		{"actions", func(s *env.Spec) { s.PolicyPlanes = 4 }, "its number of action planes is 4, not 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := trained
			test.change(&s)
			err := s.CheckNetwork(trained)
			if s.Height != trained.Height || s.Width != trained.Width {
				require.NoError(t, s.CheckTransfer(trained))
			} else {
				require.Equal(t, err, s.CheckTransfer(trained))
			}
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

func TestVariants(t *testing.T) {
	game, err := games.New("pacru:players=3")
	require.NoError(t, err)
	find := env.Variants(game, games.New)
	same, err := find("pacru:players=3")
	require.NoError(t, err)
	require.Same(t, game, same)
	shorter, err := find("pacru:players=3,maxturns=9")
	require.NoError(t, err)
	require.Equal(t, "pacru:players=3,maxturns=9", shorter.Spec().Name)

	_, err = find("pacru")
	require.EqualError(t, err, `game is "pacru", not "pacru:players=3" or a variant of it: its number of seats is 2, not 3`)
	_, err = find("azacru:players=3")
	require.ErrorContains(t, err, "it is another game")
	_, err = find("pacru:turns=9")
	require.ErrorContains(t, err, "unknown option")
	_, err = env.Variants(game, nil)("pacru:players=3,maxturns=9")
	require.EqualError(t, err, `game is "pacru:players=3,maxturns=9", not "pacru:players=3"`)
}
