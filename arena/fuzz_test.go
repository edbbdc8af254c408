package arena

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// FuzzParse: a name is refused, or makes a player whose own name makes the same
// player.
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
	clock := tickingClock()
	kinds := append(TimedKinds(clock), uniformKind(clock))
	f.Fuzz(func(t *testing.T, n uint8, spec string) {
		game := all[int(n)%len(all)]
		factory, err := ParsePlayer(game, spec, kinds...)
		if err != nil {
			return
		}
		p, err := factory()
		require.NoError(t, err)
		require.NoError(t, closePlayer(p))
		again, err := ParsePlayer(game, p.Name(), kinds...)
		require.NoError(t, err)
		same, err := again()
		require.NoError(t, err)
		require.Equal(t, p.Name(), same.Name())
		require.NoError(t, closePlayer(same))
	})
}
