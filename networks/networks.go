// Package networks opens networks by name: the network of a run, a checkpoint, a weights file or
// a bundled model.
//
//	n, err := networks.OpenFor(game, "runs/coerceo", find)
//	fmt.Println(n) // runs/coerceo (generation 40)
//
// An Opener opens the networks of players.
package networks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/mcts"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
)

// Bundled is the name of the bundled model for the current game, and Bundled:GAME the name of the
// model for GAME. A file of that name is ./bundled.
const Bundled = player.Bundled

// ErrNoGame is returned by Open for Bundled if there is no current game.
var ErrNoGame = errors.New(Bundled + " needs a game: use " + Bundled + ":GAME")

// Network is an opened network.
type Network struct {
	Weights    *net.Weights
	From       string // the path, or "bundled model"
	Generation int    // generation of the run; -1 for a weights file alone
	Games      int    // number of games it was trained on; 0 if unknown
	Foreign    string // the game string it was trained for, if it differs from the game to play
}

// String returns a description such as "runs/coerceo (generation 40)".
func (n Network) String() string {
	var known []string
	if n.Foreign != "" {
		known = append(known, "trained for "+n.Foreign)
	}
	if n.Generation >= 0 {
		known = append(known, "generation "+strconv.Itoa(n.Generation))
	}
	if n.Games > 0 {
		known = append(known, strconv.Itoa(n.Games)+" games")
	}
	if len(known) == 0 {
		return n.From
	}
	return fmt.Sprintf("%s (%s)", n.From, strings.Join(known, ", "))
}

// IsBundled reports whether name is the name of a bundled model.
func IsBundled(name string) bool {
	return name == Bundled || strings.HasPrefix(name, Bundled+":")
}

// Open opens the network with the given name. Bundled without a game stands for the model of
// game, a canonical game string that may be empty if there is no current game.
func Open(name, game string, find env.Lookup) (Network, error) {
	if IsBundled(name) {
		_, named, _ := strings.Cut(name, ":")
		return openBundled(cmp.Or(named, game), find)
	}
	weights, info, err := rundir.OpenNetwork(disk.OS{}, name, find)
	if i := strings.LastIndexByte(name, ','); errors.Is(err, fs.ErrNotExist) && i >= 0 {
		err = fmt.Errorf("%w (%.100q is not a setting here and was read as part of the path)", err, name[i+1:])
	}
	return Network{Weights: weights, From: name, Generation: info.Generation}, adviseVerifying(err, name)
}

// adviseVerifying adds advice to an error about a checkpoint in a run: which command checks the
// rest of the run.
func adviseVerifying(err error, path string) error {
	if err == nil || errors.Is(err, fs.ErrPermission) || format.OtherVersion(err) {
		return err
	}
	place, unknown := rundir.Resolve(disk.OS{}, path)
	if unknown != nil || place.Run == "" || place.Generation < 0 {
		return err
	}
	return fmt.Errorf("%w: %s lists intact checkpoints", err, recipe.HereLine("tiro", "verify", place.Run))
}

// openBundled opens the bundled model for a game string or, if there is none, the nearest model
// that can play it.
func openBundled(name string, find env.Lookup) (Network, error) {
	if name == "" {
		return Network{}, ErrNoGame
	}
	game, err := find(name)
	if err != nil {
		return Network{}, err
	}
	model, err := bundled.Nearest(game, find)
	if err != nil {
		return Network{}, adviseTraining(err, game)
	}
	trained, err := find(model.Card.Game)
	if err != nil {
		return Network{}, err
	}
	weights, err := model.Weights(trained.Spec())
	return Network{Weights: weights, From: "bundled model", Generation: model.Card.Generation, Games: model.Card.Games}, err
}

// FindBundled returns the bundled model that was trained for game. If there is none, the error
// advises how to train one.
func FindBundled(game env.Game) (bundled.Model, error) {
	model, err := bundled.Find(game.Spec().Name)
	return model, adviseTraining(err, game)
}

// adviseTraining adds advice to ErrNone: the command that trains a model for game.
func adviseTraining(err error, game env.Game) error {
	if errors.Is(err, bundled.ErrNone) {
		err = fmt.Errorf("%w: train one with tiro train %s", err, game.Spec().Name)
	}
	return err
}

// OpenFor opens a network and checks that it can play game.
func OpenFor(game env.Game, name string, find env.Lookup) (Network, error) {
	spec := game.Spec()
	n, err := Open(name, spec.Name, find)
	if err != nil {
		return n, err
	}
	trained := n.Weights.Spec
	if err := spec.CheckNetwork(trained); err != nil {
		return n, fmt.Errorf("%s is a network for %s, which cannot play %s: %w", name, trained.Name, spec.Name, err)
	}
	if trained.Name != spec.Name {
		n.Foreign = trained.Name
	}
	return n, nil
}

// TrainedBy describes the origin of n, the network called name, without any path of this machine:
// as the commands that train it, if they are known.
func TrainedBy(n Network, name string, find env.Lookup) (string, error) {
	if IsBundled(name) {
		return n.String(), nil
	}
	place, err := rundir.Resolve(disk.OS{}, name)
	if err != nil || place.Run == "" {
		return "a weights file for " + n.Weights.Spec.Name, err
	}
	folder := rundir.At(disk.OS{}, place.Run)
	config, err := recipe.Read(folder)
	if err != nil {
		return "", err
	}
	origins, err := recipe.Origins(folder)
	if err != nil {
		return "", err
	}
	commands, _, err := recipe.Lineage(find, origins, config, n.Generation)
	return strings.Join(commands, " && "), err
}

// batch is the number of positions in a batch.
const batch = 64

// Opener opens networks for players.
type Opener struct {
	Find    env.Lookup
	Backend net.Backend
	Threads int // goroutines that evaluate the positions of one search; they do not affect the results

	// Foreign, if set, is called for a network that was trained for another game string.
	Foreign func(name, trained, plays string)
}

// Open opens a network for players of a game.
func (o Opener) Open(game env.Game, name string) (player.Network, error) {
	n, model, err := o.Model(game, name)
	if err != nil {
		return player.Network{}, err
	}
	return o.Players(game, n.Weights, model)
}

// Players returns a network, compiled as model, for players of a game.
func (o Opener) Players(game env.Game, weights *net.Weights, model net.Network) (player.Network, error) {
	sum, err := weights.Checksum()
	return player.Network{
		Evaluator: o.Evaluators(game, model), Batch: net.Batch(o.Backend), SHA256: sum, Write: weights.Write,
		MACs: weights.Config.MACs(weights.Spec), TrainedFor: weights.Spec.Name,
	}, err
}

// Model opens a network that can play game and compiles it.
func (o Opener) Model(game env.Game, name string) (Network, net.Network, error) {
	n, err := OpenFor(game, name, o.Find)
	if err != nil {
		return n, nil, err
	}
	if n.Foreign != "" && o.Foreign != nil {
		o.Foreign(name, n.Foreign, game.Spec().Name)
	}
	return n, net.CompileFor(o.Backend, n.Weights), nil
}

// Evaluators returns a function that makes the evaluators of a network's players.
func (o Opener) Evaluators(game env.Game, model net.Network) func() mcts.Evaluator {
	return func() mcts.Evaluator { return model.NewEvaluator(game, max(batch, net.Batch(o.Backend)), o.Threads) }
}
