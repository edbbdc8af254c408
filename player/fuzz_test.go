package player

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// FuzzParse: text is refused, or describes a player whose printed description is read as
// the same one.
func FuzzParse(f *testing.F) {
	for i, spec := range []string{
		"random", "greedy", "alphabeta:3", "mcts:400", "net:runs/coerceo,sims=8", "random:1", "alphabeta:", "alphabeta:65", "mcts:16777216",
		"mcts:99999999999999999999", "mcts:+1", "mcts:01", ":", "", "\xff:\x00",
		"mcts:time=100ms", "stubborn:cpu=100ms", "alphabeta:time=1.5s", "net:a,time=2h", "net:bundled:coerceo:price=1,macs=2.5G,gumbel.c_scale=0.5", "net:a,simulations=7,macs=1",
	} {
		f.Add(uint8(i), spec)
	}
	var all []env.Game
	for _, name := range []string{"mnk", "coerceo", "connect4", "pacru:players=3"} {
		game, err := games.New(name)
		require.NoError(f, err)
		all = append(all, game)
	}
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		game := all[int(n)%len(all)]
		s, err := Parse(text, 8)
		if err != nil {
			return
		}
		again, err := Parse(s.String(), 8)
		require.NoError(t, err)
		require.Equal(t, s, again)
		factory, err := s.Factory(game, Resources{Clock: tickingClock(), Open: uniform})
		if err != nil {
			return
		}
		p, err := factory.New()
		require.NoError(t, err)
		require.Equal(t, factory.String(), p.Name())
	})
}
