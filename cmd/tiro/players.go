package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/models"
	"tiro/net"
	"tiro/net/kernel"
)

// defaultSims is how many simulations a move a network player thinks, if it
// is not said.
const defaultSims = 64

// maxRows is how many positions a network judges at a time.
const maxRows = 64

// failure is an error that is no fault of the command line though it came up
// while it was read, such as a damaged checkpoint.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// parsePlayer returns the maker of the players that spec names; set computes
// their networks.
func parsePlayer(game env.Game, set kernel.Set, spec string) (arena.Maker, error) {
	maker, err := arena.Parse(game, spec, arena.Form{
		Name: "net", Usage: "net:RUN_OR_FILE[,sims=N]",
		Make: func(game env.Game, args string) (arena.Maker, error) { return netPlayer(game, set, args) },
	})
	if f := (*failure)(nil); errors.As(err, &f) {
		return nil, f.err
	}
	return maker, usage(err)
}

// netPlayer returns the maker of the players "net:" + args.
func netPlayer(game env.Game, set kernel.Set, args string) (arena.Maker, error) {
	path, sims, err := cutSims(args)
	if err != nil {
		return nil, err
	}
	model, err := openModel(game, set, path)
	if err != nil {
		return nil, &failure{err}
	}
	return modelPlayer(game, model, "net:"+args, sims, 1), nil
}

// cutSims splits "RUN_OR_FILE,sims=N".
func cutSims(args string) (path string, sims int, err error) {
	path, option, found := strings.Cut(args, ",")
	if path == "" {
		return "", 0, errors.New("no run folder or file")
	}
	if !found {
		return path, defaultSims, nil
	}
	text, ok := strings.CutPrefix(option, "sims=")
	if sims, err = strconv.Atoi(text); !ok || err != nil || sims < 1 || sims > arena.MaxSimulations {
		return "", 0, fmt.Errorf("%q is not sims=N with N from 1 to %d", option, arena.MaxSimulations)
	}
	return path, sims, nil
}

// openModel returns the network at path, a run folder, a checkpoint or a
// weights file, if it is for game, to be computed by set.
func openModel(game env.Game, set kernel.Set, path string) (*net.Model, error) {
	weights, info, err := models.Open(path, games.New)
	if err != nil {
		return nil, err
	}
	if name := game.Spec().Name; info.Game != name {
		return nil, fmt.Errorf("%s holds a network for %s, not for %s; name the game it was trained for", path, info.Game, name)
	}
	return net.CompileFor(set, weights), nil
}

// modelConfig returns how players search that judge positions by a network.
func modelConfig() mcts.Config {
	c := mcts.Default()
	c.Noise = false
	return c
}

// modelPlayer returns the maker of players that search with model, each on so
// many cores.
func modelPlayer(game env.Game, model *net.Model, name string, sims, threads int) arena.Maker {
	config := modelConfig()
	config.Simulations = sims
	return arena.Search(name, game, config, func() mcts.Evaluator {
		return net.NewTeam(game, model, threads, maxRows)
	})
}
