package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"tiro/recipe"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/rundir"
)

// bundledName stands, where a network is wanted, for the bundled model for the game
// at hand, and bundledName:GAME for that for GAME. A file of that name is ./bundled.
const bundledName = "bundled"

// modelHelp is the beginning of the help of flags --model.
const modelHelp = "network: a `RUN_OR_FILE` (run folder, checkpoint, weights file) or bundled"

// network is a network that somebody has named.
type network struct {
	weights    *net.Weights
	from       string // path, or "bundled model"
	generation int    // of its run; -1 for a weights file alone
	games      int    // that it has learned from; 0 if unknown
	foreign    string // the game string that it was trained for, if it plays another one
}

// String says which network n is, for people.
func (n network) String() string {
	var known []string
	if n.foreign != "" {
		known = append(known, "trained for "+n.foreign)
	}
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
func (c catalog) openNetwork(name, game string) (network, error) {
	if isBundled(name) {
		_, named, _ := strings.Cut(name, ":")
		if game = cmp.Or(named, game); game == "" {
			return network{}, usage(fmt.Errorf("%s holds models for several games; want %s:GAME", bundledName, bundledName))
		}
		return c.openBundled(game)
	}
	path, err := systemPath(name)
	if err != nil {
		return network{}, err
	}
	weights, info, err := rundir.OpenNetwork(disk.OS{}, path, c.New)
	if i := strings.LastIndexByte(name, ','); errors.Is(err, fs.ErrNotExist) && i >= 0 {
		err = fmt.Errorf("%w (%.100q is no setting of a network, so that it is part of the path)", err, name[i+1:])
	}
	return network{weights: weights, from: name, generation: info.Generation}, adviseVerifying(err, path)
}

// adviseVerifying adds to an error about the files of a checkpoint in a run how to find
// out what else in the run is intact.
func adviseVerifying(err error, path string) error {
	if err == nil || errors.Is(err, fs.ErrPermission) || format.OtherVersion(err) {
		return err
	}
	place, unknown := rundir.Resolve(disk.OS{}, path)
	if unknown != nil || place.Run == "" || place.Generation < 0 {
		return err
	}
	return fmt.Errorf("%w; %s finds out which checkpoints are intact", err, recipe.ShellLine(calledAs(), "verify", place.Run))
}

// isBundled reports whether the name of a network stands for a bundled model.
func isBundled(name string) bool {
	return name == bundledName || strings.HasPrefix(name, bundledName+":")
}

// openBundled reads the bundled model for the game of a game string, or the one
// trained for the nearest game string whose networks can play it.
func (c catalog) openBundled(name string) (network, error) {
	game, err := c.newGame(name)
	if err != nil {
		return network{}, err
	}
	model, err := bundled.Nearest(game, c.New)
	if err != nil {
		return network{}, adviseTraining(err, game)
	}
	trained, err := c.New(model.Card.Game)
	if err != nil {
		return network{}, err
	}
	weights, err := model.Weights(trained.Spec())
	return network{weights: weights, from: "bundled model", generation: model.Card.Generation, games: model.Card.Games}, err
}

// findBundled returns the bundled model that was trained for game. The error says
// what may help.
func findBundled(game env.Game) (bundled.Model, error) {
	model, err := bundled.Find(game.Spec().Name)
	return model, adviseTraining(err, game)
}

// adviseTraining adds to an error that there is no bundled model for game how to
// make one.
func adviseTraining(err error, game env.Game) error {
	if errors.Is(err, bundled.ErrNone) {
		err = fmt.Errorf("%w; tiro train %s makes one", err, game.Spec().Name)
	}
	return err
}

// openFor is openNetwork for a game that the network can play. All commands that
// have a network play a game open it here.
func (c catalog) openFor(game env.Game, name string) (network, error) {
	spec := game.Spec()
	n, err := c.openNetwork(name, spec.Name)
	if err != nil {
		return n, err
	}
	trained := n.weights.Spec
	if err := spec.CheckNetwork(trained); err != nil {
		return n, fmt.Errorf("%s holds a network for %s, which cannot play %s: %w", name, trained.Name, spec.Name, err)
	}
	if trained.Name != spec.Name {
		n.foreign = trained.Name
	}
	return n, nil
}

// sayForeign says on w, if so, that the model of a name was trained for another
// game string than that of the game that it plays.
func sayForeign(w io.Writer, name string, model *net.Model, game env.Game) {
	if plays := game.Spec().Name; model.Game() != plays {
		fmt.Fprintf(w, "%s was trained for %s and plays %s\n", name, model.Game(), plays)
	}
}

// openModel is openFor to be computed by backend.
func (c catalog) openModel(game env.Game, backend kernel.Backend, name string) (*net.Model, error) {
	n, err := c.openFor(game, name)
	if err != nil {
		return nil, err
	}
	return net.Compile(backend, n.weights), nil
}
