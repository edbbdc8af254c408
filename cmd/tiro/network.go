package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
)

// bundledName stands, where a network is wanted, for the bundled model for the game
// at hand, and bundledName:GAME for that for GAME. A file of that name is ./bundled.
const bundledName = "bundled"

// network is a network that somebody has named.
type network struct {
	weights    *net.Weights
	from       string // path, or "bundled model"
	generation int    // of its run; -1 for a weights file alone
	games      int    // that it has learned from; 0 if unknown
}

// String says which network n is, for people.
func (n network) String() string {
	var known []string
	if n.generation >= 0 {
		known = append(known, "generation "+strconv.Itoa(n.generation))
	}
	if n.games > 0 {
		known = append(known, strconv.Itoa(n.games)+" games")
	}
	if len(known) == 0 {
		return n.from
	}
	return fmt.Sprintf("%s (%s)", n.from, strings.Join(known, ", "))
}

// openNetwork reads the network that name stands for: a run folder, a
// checkpoint, a weights file, or a bundled model; bundled alone means the one
// for a canonical game string, which is empty where no game is at hand.
func openNetwork(name, game string) (network, error) {
	if isBundled(name) {
		_, named, _ := strings.Cut(name, ":")
		if game = cmp.Or(named, game); game == "" {
			return network{}, usage(fmt.Errorf("%s holds models for several games; want %s:GAME", bundledName, bundledName))
		}
		return openBundled(game)
	}
	path, err := systemPath(name)
	if err != nil {
		return network{}, err
	}
	weights, info, err := rundir.OpenNetwork(disk.OS{}, path, games.New)
	return network{weights, name, info.Generation, 0}, err
}

// isBundled reports whether the name of a network stands for a bundled model.
func isBundled(name string) bool {
	return name == bundledName || strings.HasPrefix(name, bundledName+":")
}

// openBundled reads the bundled model for the game of a game string.
func openBundled(name string) (network, error) {
	game, err := newGame(name)
	if err != nil {
		return network{}, err
	}
	model, err := findBundled(game)
	if err != nil {
		return network{}, err
	}
	weights, err := model.Weights(game.Spec())
	return network{weights, "bundled model", model.Card.Generation, model.Card.Games}, err
}

// findBundled returns the bundled model for game. The error says what may help.
func findBundled(game env.Game) (bundled.Model, error) {
	name := game.Spec().Name
	model, err := bundled.Find(name)
	if errors.Is(err, bundled.ErrNone) {
		err = fmt.Errorf("%w; tiro train %s makes one", err, name)
	}
	return model, err
}

// openFor is openNetwork for a game that the network must be for.
func openFor(game env.Game, name string) (network, error) {
	want := game.Spec().Name
	n, err := openNetwork(name, want)
	if err != nil {
		return n, err
	}
	if is := n.weights.Spec.Name; is != want {
		return n, fmt.Errorf("%s holds a network for %s, not for %s; name the game it was trained for", name, is, want)
	}
	return n, nil
}

// openModel is openFor to be computed by backend.
func openModel(game env.Game, backend kernel.Backend, name string) (*net.Model, error) {
	n, err := openFor(game, name)
	if err != nil {
		return nil, err
	}
	return net.Compile(backend, n.weights), nil
}
