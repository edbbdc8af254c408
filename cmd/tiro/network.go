package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/env/games"
	"tiro/models"
	"tiro/models/box"
	"tiro/net"
	"tiro/net/kernel"
)

// inBox stands for a path where a network is wanted: the model in the box for
// the game at hand, or for GAME in inBox:GAME. A file of that name is ./box.
const inBox = "box"

// network is a network that somebody has named.
type network struct {
	weights    *net.Weights
	from       string // a path, or that it is in the box
	generation int    // of its run; -1 if a weights file alone was named
	games      int    // it has learned from; 0 if only the run's metrics would tell
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
// checkpoint, a weights file, or a model in the box; box alone means the one
// for a canonical game string, which is empty where no game is at hand.
func openNetwork(name, game string) (network, error) {
	of, boxed := strings.CutPrefix(name, inBox+":")
	switch {
	case boxed:
		return openBox(of)
	case name != inBox:
		weights, info, err := models.Open(name, games.New)
		return network{weights, name, info.Generation, 0}, err
	case game == "":
		return network{}, usage(fmt.Errorf("%s holds models for several games; want %s:GAME", inBox, inBox))
	}
	return openBox(game)
}

// openBox reads the model in the box for the game of a game string.
func openBox(name string) (network, error) {
	game, err := newGame(name)
	if err != nil {
		return network{}, err
	}
	model, err := findBox(game)
	if err != nil {
		return network{}, err
	}
	weights, err := model.Weights(game.Spec())
	return network{weights, "model in the box", model.Card.Generation, model.Card.Games}, err
}

// findBox returns the model in the box for game. The error says what may help.
func findBox(game env.Game) (box.Model, error) {
	name := game.Spec().Name
	model, err := box.Find(name)
	if errors.Is(err, box.ErrNone) {
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

// openModel is openFor to be computed by set.
func openModel(game env.Game, set kernel.Set, name string) (*net.Model, error) {
	n, err := openFor(game, name)
	if err != nil {
		return nil, err
	}
	return net.CompileFor(set, n.weights), nil
}
