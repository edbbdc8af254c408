package networks_test

import (
	"context"
	"fmt"

	"tiro/env"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/networks"
	"tiro/player"
)

// The bundled model for Connect Four chooses its first move. docs/EXPORT.md has this program.
func ExampleOpener() {
	game, err := games.New("connect4")
	check(err)
	spec, err := player.Parse("bundled,sims=200", 0) // as in tiro match, such as net:FILE,sims=200
	check(err)
	opener := networks.Opener{Find: games.New, Backend: kernel.Best(), Threads: 1}
	factory, err := spec.Factory(game, player.Resources{
		Open: func(s player.Spec) (player.Network, error) { return opener.Open(game, s.Network) },
	})
	check(err)
	p, err := factory.New()
	check(err)
	state := game.New()
	action, err := p.Choose(context.Background(), state, nil, env.NewRand(1))
	check(err)
	fmt.Println(state.ActionString(action))
	// Output: 4
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
