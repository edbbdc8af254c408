package ladder

import (
	"errors"
	"fmt"
	"io/fs"

	"tiro/env"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/networks"
	"tiro/player"
)

// weights returns the network of a reference: the file with its name in the ladder's folder,
// or the bundled model for the game if there is none. It must have the right checksum.
func (l *Ladder) weights(p player.Spec, game env.Game) (*net.Weights, error) {
	data, err := fs.ReadFile(l.files, p.Network+".safetensors")
	if errors.Is(err, fs.ErrNotExist) {
		var model bundled.Model
		if model, err = bundled.Find(l.Game); err == nil {
			data, err = fs.ReadFile(model.Files, models.WeightsFile)
		}
	}
	if err == nil && models.Measure(data).SHA256 != p.Weights {
		err = fmt.Errorf("these are not the rated weights, with SHA-256 %s", p.Weights)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %s: %w", l.Game, err)
	}
	return net.ReadWeights(data, game.Spec())
}

// opener returns a function that opens the networks of references, each network once.
func (l *Ladder) opener(game env.Game, backend net.Backend) func(player.Spec) (player.Network, error) {
	opened := map[string]player.Network{} // by checksum
	return func(p player.Spec) (player.Network, error) {
		if network, ok := opened[p.Weights]; ok {
			return network, nil
		}
		weights, err := l.weights(p, game)
		if err != nil {
			return player.Network{}, err
		}
		network, err := networks.Opener{Backend: backend, Threads: 1}.Players(game, weights, net.CompileFor(backend, weights))
		opened[p.Weights] = network
		return network, err
	}
}
