package arena

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/mcts"
)

// PlayerKind is a kind of player that ParsePlayer understands, written NAME or
// NAME:ARGS.
type PlayerKind struct {
	Name  string // before the colon
	Usage string // for error messages, such as "mcts:SIMULATIONS"
	New   func(game env.Game, args string) (PlayerFactory, error)
}

// playerKinds returns the kinds of player that need no network.
func playerKinds() []PlayerKind {
	return []PlayerKind{
		{"random", "random", func(_ env.Game, args string) (PlayerFactory, error) {
			return Random(), noArgs(args)
		}},
		{"greedy", "greedy", func(game env.Game, args string) (PlayerFactory, error) {
			return Greedy(game), noArgs(args)
		}},
		{"alphabeta", "alphabeta:DEPTH", func(game env.Game, args string) (PlayerFactory, error) {
			depth, err := number(args, "depth", MaxDepth)
			return AlphaBeta(game, depth), err
		}},
		{"mcts", "mcts:SIMULATIONS", func(game env.Game, args string) (PlayerFactory, error) {
			simulations, err := number(args, "simulations", MaxSimulations)
			return Rollouts(game, simulations), err
		}},
	}
}

// NetworkKind returns the kind of player "net:RUN_OR_FILE[,sims=N]", which searches
// with NetworkConfig. Open opens the network of a name and returns what makes
// its evaluators; simulations is the default of N.
func NetworkKind(simulations int, open func(network string) (func() mcts.Evaluator, error)) PlayerKind {
	return PlayerKind{"net", "net:RUN_OR_FILE[,sims=N]", func(game env.Game, args string) (PlayerFactory, error) {
		network, n, err := cutSimulations(args, simulations)
		if err != nil {
			return nil, err
		}
		evaluator, err := open(network)
		return Search(fmt.Sprintf("net:%s,sims=%d", network, n), game, NetworkConfig(n), evaluator), err
	}}
}

// cutSimulations splits "RUN_OR_FILE,sims=N". Only a network that is named with its
// game's options, after a colon, may have other commas.
func cutSimulations(args string, simulations int) (network string, n int, err error) {
	network, n = args, simulations
	if i := strings.LastIndex(args, ","); i >= 0 {
		text, found := strings.CutPrefix(args[i:], ",sims=")
		if found || !strings.Contains(args[:i], ":") {
			network = args[:i]
			if n, err = strconv.Atoi(text); !found || err != nil || n < 1 || n > MaxSimulations {
				return "", 0, fmt.Errorf("%q is not sims=N with N from 1 to %d", args[i+1:], MaxSimulations)
			}
		}
	}
	if network == "" {
		return "", 0, errors.New("no run folder or file")
	}
	return network, n, nil
}

// ParsePlayer returns the factory of the players that spec names, of a kind that
// needs no network or of more. It makes one player to find out whether the game
// allows them.
func ParsePlayer(game env.Game, spec string, more ...PlayerKind) (PlayerFactory, error) {
	name, args, _ := strings.Cut(spec, ":")
	kinds := append(playerKinds(), more...)
	usages := make([]string, len(kinds))
	for i, kind := range kinds {
		usages[i] = kind.Usage
		if kind.Name != name {
			continue
		}
		factory, err := kind.New(game, args)
		if err != nil {
			return nil, fmt.Errorf("arena: player %q: %w; want %s", spec, err, kind.Usage)
		}
		p, err := factory()
		if err != nil {
			return nil, fmt.Errorf("arena: player %q: %w", spec, err)
		}
		return factory, closePlayer(p)
	}
	return nil, fmt.Errorf("arena: player %q is none of %s", spec, strings.Join(usages, ", "))
}

func noArgs(args string) error {
	if args != "" {
		return fmt.Errorf("unexpected %q after the colon", args)
	}
	return nil
}

func number(args, what string, most int) (int, error) {
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%s %q is not a whole number from 1 to %d", what, args, most)
	}
	return n, nil
}
