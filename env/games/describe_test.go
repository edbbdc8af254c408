package games_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// TestActionNames: every action whose name depends only on the player on turn has an
// ActionName. Exceptions are Pacru's moves, which may be pincers, and Azacru's moves of
// several fields across a border, which may remove the chevron.
func TestActionNames(t *testing.T) {
	tests := []struct {
		game     string
		nameless func(name string) bool // reports whether the action may lack a name
	}{
		{"connect4", nil},
		{"gomoku", nil},
		{"coerceo", nil},
		{"coerceo:win=competitive,price=1", nil},
		{"shacru:players=3", nil},
		{"azacru", func(name string) bool { return len(name) == 5 || name[len(name)-1] == '^' }},
		{"pacru", func(name string) bool { return len(name) == 5 }},
	}
	for _, test := range tests {
		t.Run(test.game, func(t *testing.T) {
			game, err := games.New(test.game)
			require.NoError(t, err)
			d, rng := game.(env.Describer), env.NewRand(1)
			named := 0
			for range 20 {
				s := game.New()
				for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
					for _, a := range legal {
						name := s.ActionString(a)
						if d.ActionName(s.Turn(), a) != "" {
							named++
							continue
						}
						require.True(t, test.nameless != nil && test.nameless(name), "action %d, %s, has no name", a, name)
					}
					s.Play(legal[rng.IntN(len(legal))])
				}
			}
			require.Greater(t, named, 300)
		})
	}
}
