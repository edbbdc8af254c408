package ladder

import (
	"errors"
	"fmt"
	"io/fs"

	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/player"
)

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// Extension is the extension of network files.
const Extension = ".safetensors"

// weights returns the network of a reference: the file with its name in the ladder's folder,
// or the bundled model for the game if there is none. It must have the right checksum.
func (l *Ladder) weights(p player.Spec, game env.Game) (*net.Weights, error) {
	data, err := fs.ReadFile(l.files, p.Network+Extension)
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

// factories makes the reference players of a ladder. It reads each network once.
type factories struct {
	ladder   *Ladder
	game     env.Game
	backend  net.Backend
	networks map[string]player.Network // by checksum
}

func (l *Ladder) factories(game env.Game, backend net.Backend) *factories {
	return &factories{l, game, backend, map[string]player.Network{}}
}

// player returns the factory of a reference.
func (f *factories) player(p player.Spec) (player.Factory, error) {
	return p.Factory(f.game, player.Resources{Open: f.open})
}

// open returns the network of a reference.
func (f *factories) open(p player.Spec) (player.Network, error) {
	if network, ok := f.networks[p.Weights]; ok {
		return network, nil
	}
	weights, err := f.ladder.weights(p, f.game)
	if err != nil {
		return player.Network{}, err
	}
	model := net.CompileFor(f.backend, weights)
	network := player.Network{
		Evaluator: func() mcts.Evaluator { return model.NewEvaluator(f.game, max(batch, net.Batch(f.backend)), 1) },
		Batch:     net.Batch(f.backend),
		SHA256:    p.Weights, TrainedFor: f.ladder.Game, Write: weights.Write,
	}
	f.networks[p.Weights] = network
	return network, nil
}
