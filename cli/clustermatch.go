package cli

import (
	"tiro/arena"
	"tiro/cluster"
	"tiro/env"
	"tiro/net"
)

// gameplayer returns the cluster's trainer, through which workers play the games of matches,
// and a function that closes it. The trainer is nil if this process plays alone. It does not
// connect before the first game.
func (o *clusterOptions) gameplayer(find env.Lookup, workers int, backend net.Backend, m *meter) (arena.Gameplayer, func(), error) {
	if !o.used() {
		return nil, func() {}, nil
	}
	options := o.options(find)
	options.Workers, options.Backend, options.Log = workers, backend, m.log
	trainer, err := cluster.New(options)
	if err != nil {
		return nil, nil, err
	}
	return trainer, trainer.Close, nil
}
