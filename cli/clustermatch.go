package cli

import (
	"strings"

	"tiro/arena"
	"tiro/cluster"
	"tiro/env"
	"tiro/net/kernel"
)

// checkPlayers returns an error for players that need this machine, before any is made.
func (o *clusterOptions) checkPlayers(names ...string) error {
	for _, name := range names {
		if err := unless(!o.used() || !strings.HasPrefix(name, "ugi:"), "%.60s is a program on this machine; with --listen or --nats want networks, random, greedy, alphabeta, stubborn or mcts", name); err != nil {
			return err
		}
	}
	return nil
}

// gameplayer returns who plays the games of matches, nil for this process alone, and what
// ends that. Nothing is begun before the first game.
func (o *clusterOptions) gameplayer(find env.Lookup, workers int, backend kernel.Backend, m *meter) (arena.Gameplayer, func(), error) {
	if !o.used() {
		return nil, func() {}, nil
	}
	options := o.options("")
	options.Workers, options.Backend, options.Find = workers, backend.Name(), find
	options.Info, options.Warn = m.log.Info, m.log.Warn
	trainer, err := cluster.New(options)
	if err != nil {
		return nil, nil, err
	}
	return trainer, trainer.Close, nil
}
