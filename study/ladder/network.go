package ladder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/mcts"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
)

// batch is the number of positions that a network evaluates at a time.
const batch = 64

// maxWeights bounds a weights file of a ladder, in bytes.
const maxWeights = 1 << 28

// Extension ends the names of the files of networks.
const Extension = ".safetensors"

// weights returns a network of the ladder: the file of its name in the ladder's
// folder, else the bundled model for the game. Either must have the checksum.
func (l *Ladder) weights(n Network, game env.Game) (*net.Weights, error) {
	data, err := l.files(n.Name+Extension, maxWeights)
	where := n.Name + Extension
	if errors.Is(err, fs.ErrNotExist) {
		data, err = bundledWeights(l.Game)
		where = "the bundled model"
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %s: network %s: %w", l.Game, n.Name, err)
	}
	if models.Measure(data).SHA256 != n.SHA256 {
		return nil, fmt.Errorf("ladder: %s: network %s: %s holds other weights than those that were rated; want SHA-256 %s", l.Game, n.Name, where, n.SHA256)
	}
	return net.ReadWeights(data, game.Spec())
}

// bundledWeights returns the weights file of the bundled model for a game.
func bundledWeights(game string) ([]byte, error) {
	model, err := bundled.Find(game)
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(model.Files, models.WeightsFile)
}

// files reads a file of a folder, of at most so many bytes.
type files func(name string, limit int64) ([]byte, error)

// filesOf returns the files of a folder in memory or in the program.
func filesOf(folder fs.FS) files {
	return func(name string, limit int64) ([]byte, error) {
		data, err := fs.ReadFile(folder, name)
		if err == nil && int64(len(data)) > limit {
			err = fmt.Errorf("%s has more than %d bytes", name, limit)
		}
		return data, err
	}
}

// filesIn returns the files of a folder on a disk, where a name may be that of a pipe.
func filesIn(fsys disk.FS, dir string) files {
	return func(name string, limit int64) ([]byte, error) {
		return disk.ReadFile(fsys, filepath.Join(dir, name), limit)
	}
}

// factories makes the reference players of a ladder. Networks are read once.
type factories struct {
	ladder   *Ladder
	game     env.Game
	backend  kernel.Backend
	networks map[string]arena.Network // by checksum
	made     map[string]arena.PlayerFactory
}

func (l *Ladder) factories(game env.Game, backend kernel.Backend) *factories {
	return &factories{l, game, backend, map[string]arena.Network{}, map[string]arena.PlayerFactory{}}
}

// player returns the factory of a reference.
func (f *factories) player(p Player) (arena.PlayerFactory, error) {
	if made, ok := f.made[p.Name]; ok {
		return made, nil
	}
	factory, err := f.open(p)
	if err == nil {
		f.made[p.Name] = factory
	}
	return factory, err
}

func (f *factories) open(p Player) (arena.PlayerFactory, error) {
	if p.Weights == "" {
		return arena.ParsePlayer(f.game, p.Name)
	}
	c, temperature, err := searchConfig(p.Search)
	if err != nil {
		return nil, fmt.Errorf("ladder: player %s: %w", p.Name, err)
	}
	network, err := f.network(p)
	if err != nil {
		return nil, err
	}
	return arena.NetworkSearch(p.Name, f.game, c, temperature, network), nil
}

// network returns the network of a reference.
func (f *factories) network(p Player) (arena.Network, error) {
	if network, ok := f.networks[p.Weights]; ok {
		return network, nil
	}
	for _, n := range f.ladder.Networks {
		if n.SHA256 != p.Weights {
			continue
		}
		weights, err := f.ladder.weights(n, f.game)
		if err != nil {
			return arena.Network{}, err
		}
		model := net.Compile(f.backend, weights)
		network := arena.Network{
			Evaluator: func() mcts.Evaluator { return net.NewEvaluator(f.game, model, batch) },
			SHA256:    n.SHA256, TrainedFor: f.ladder.Game, Write: func(w io.Writer) error { return weights.Write(w) },
		}
		f.networks[p.Weights] = network
		return network, nil
	}
	return arena.Network{}, fmt.Errorf("ladder: player %s: the ladder has no network %s", p.Name, p.Weights)
}
