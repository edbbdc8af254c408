package arena

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/configs"
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
		{"stubborn", "stubborn:DEPTH", func(game env.Game, args string) (PlayerFactory, error) {
			depth, err := number(args, "depth", MaxDepth)
			return Stubborn(game, depth), err
		}},
		{"mcts", "mcts:SIMULATIONS", func(game env.Game, args string) (PlayerFactory, error) {
			simulations, err := number(args, "simulations", MaxSimulations)
			return Rollouts(game, simulations), err
		}},
	}
}

// NetworkKind returns the kind of player "net:RUN_OR_FILE[,sims=N][,KEY=VALUE…]",
// which searches with NetworkConfig, changed by keys of mcts.Config. Open opens the
// network of a name and returns what makes its evaluators; simulations is the
// default of N.
func NetworkKind(simulations int, open func(network string) (func() mcts.Evaluator, error)) PlayerKind {
	return PlayerKind{"net", "net:RUN_OR_FILE[,sims=N][,KEY=VALUE…]", func(game env.Game, args string) (PlayerFactory, error) {
		network, settings := cutSettings(args)
		if network == "" {
			return nil, errors.New("no run folder or file")
		}
		c, name, err := searchConfig(simulations, settings)
		if err != nil {
			return nil, err
		}
		evaluator, err := open(network)
		return Search("net:"+network+name, game, c, evaluator), err
	}}
}

// cutSettings splits "RUN_OR_FILE,KEY=VALUE,…". Of a network that is named with its
// game's options, after a colon, only what follows the first key of a search is
// a setting.
func cutSettings(args string) (network string, settings []string) {
	network, rest, _ := strings.Cut(args, ",")
	if rest == "" {
		return network, nil
	}
	settings = strings.Split(rest, ",")
	if strings.Contains(network, ":") {
		first := slices.IndexFunc(settings, isSearchSetting)
		if first < 0 {
			first = len(settings)
		}
		network = strings.Join(append([]string{network}, settings[:first]...), ",")
		settings = settings[first:]
	}
	return network, settings
}

// isSearchSetting reports whether text sets a key of a player's search.
func isSearchSetting(text string) bool {
	key, _, _ := strings.Cut(text, "=")
	return key == "sims" || configs.HasKey[mcts.Config](key)
}

// searchConfig returns NetworkConfig with settings, and these as part of a player's
// name.
func searchConfig(simulations int, settings []string) (c mcts.Config, name string, err error) {
	for _, text := range settings {
		if n, found := strings.CutPrefix(text, "sims="); found {
			if simulations, err = strconv.Atoi(n); err != nil || simulations < 1 || simulations > MaxSimulations {
				return c, "", fmt.Errorf("%q is not sims=N with N from 1 to %d", text, MaxSimulations)
			}
		}
	}
	c, name = NetworkConfig(simulations), ",sims="+strconv.Itoa(simulations)
	for _, text := range settings {
		if strings.HasPrefix(text, "sims=") {
			continue
		}
		if err := configs.Set(&c, text); err != nil {
			return c, "", err
		}
		name += "," + text
	}
	return c, name, c.Validate()
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
