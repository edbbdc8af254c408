package ladder

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/player"
)

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// Extension ends the names of the files of networks.
const Extension = ".safetensors"

// weights returns the network of a reference: the file in the ladder's folder that its name
// begins with, else the bundled model for the game. Either must have the checksum.
func (l *Ladder) weights(p arena.Participant, game env.Game) (*net.Weights, error) {
	name, _, _ := strings.Cut(p.Name, ",")
	data, err := fs.ReadFile(l.files, name+Extension)
	if errors.Is(err, fs.ErrNotExist) {
		var model bundled.Model
		if model, err = bundled.Find(l.Game); err == nil {
			data, err = fs.ReadFile(model.Files, models.WeightsFile)
		}
	}
	if err == nil && models.Measure(data).SHA256 != p.Weights {
		err = fmt.Errorf("these are other weights than those that were rated; want SHA-256 %s", p.Weights)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %s: network of %s: %w", l.Game, p.Name, err)
	}
	return net.ReadWeights(data, game.Spec())
}

// factories makes the reference players of a ladder. Networks are read once.
type factories struct {
	ladder   *Ladder
	game     env.Game
	backend  kernel.Backend
	networks map[string]player.Network // by checksum
}

func (l *Ladder) factories(game env.Game, backend kernel.Backend) *factories {
	return &factories{l, game, backend, map[string]player.Network{}}
}

// player returns the factory of a reference.
func (f *factories) player(p arena.Participant) (player.Factory, error) {
	if p.Weights == "" {
		return player.Plain(f.game, p.Name)
	}
	c, temperature, err := arena.ParseSearch(p.Search)
	if err != nil {
		return player.Factory{}, fmt.Errorf("ladder: player %s: %w", p.Name, err)
	}
	network, ok := f.networks[p.Weights]
	if !ok {
		weights, err := f.ladder.weights(p, f.game)
		if err != nil {
			return player.Factory{}, err
		}
		model := net.Compile(f.backend, weights)
		network = player.Network{
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(f.game, model, batch) },
			SHA256:    p.Weights, TrainedFor: f.ladder.Game, Write: weights.Write,
		}
		f.networks[p.Weights] = network
	}
	return player.Searching(p.Name, f.game, c, temperature, network)
}
