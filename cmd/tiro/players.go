package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
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

// computing says how players' networks are computed.
type computing struct {
	backend kernel.Backend
	threads int // cores for the positions of one search; they change nothing but the time
}

// parsePlayer returns the maker of the players that spec names; c is how their
// networks are computed.
func parsePlayer(game env.Game, c computing, spec string) (arena.PlayerFactory, error) {
	maker, err := arena.ParsePlayer(game, spec, arena.PlayerKind{
		Name: "net", Usage: "net:RUN_OR_FILE[,sims=N]",
		Make: func(game env.Game, args string) (arena.PlayerFactory, error) { return netPlayer(game, c, args) },
	})
	if f := (*failure)(nil); errors.As(err, &f) {
		return nil, f.err
	}
	return maker, usage(err)
}

// netPlayer returns the maker of the players "net:" + args.
func netPlayer(game env.Game, c computing, args string) (arena.PlayerFactory, error) {
	path, sims, err := cutSims(args)
	if err != nil {
		return nil, err
	}
	model, err := openModel(game, c.backend, path)
	if err != nil {
		return nil, &failure{err}
	}
	return c.player(game, model, "net:"+args, sims), nil
}

// cutSims splits "RUN_OR_FILE,sims=N". The game of a bundled model may have
// commas of its own.
func cutSims(args string) (path string, sims int, err error) {
	at := strings.LastIndex(args, ",")
	if at < 0 || strings.HasPrefix(args, bundledName+":") && !strings.HasPrefix(args[at:], ",sims=") {
		at = len(args)
	}
	path, option := args[:at], args[at:]
	if path == "" {
		return "", 0, errors.New("no run folder or file")
	}
	if option == "" {
		return path, defaultSims, nil
	}
	text, ok := strings.CutPrefix(option, ",sims=")
	if sims, err = strconv.Atoi(text); !ok || err != nil || sims < 1 || sims > arena.MaxSimulations {
		return "", 0, fmt.Errorf("%q is not sims=N with N from 1 to %d", option[1:], arena.MaxSimulations)
	}
	return path, sims, nil
}

// networkSearch returns how players search that judge positions by a network.
func networkSearch(sims int) mcts.Config {
	c := mcts.Default()
	c.RootNoise, c.Simulations = false, sims
	return c
}

// evaluator returns what judges the positions of a search by model.
func (c computing) evaluator(game env.Game, model *net.Model) mcts.Evaluator {
	return net.NewEvaluatorPool(game, model, c.threads, maxRows)
}

// player returns the maker of players that search with model.
func (c computing) player(game env.Game, model *net.Model, name string, sims int) arena.PlayerFactory {
	return arena.Search(name, game, networkSearch(sims), func() mcts.Evaluator { return c.evaluator(game, model) })
}
