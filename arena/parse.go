package arena

import (
	"fmt"
	"strconv"
	"strings"

	"tiro/env"
)

// PlayerKind is a kind of player that Parse understands, written NAME or NAME:ARGS.
type PlayerKind struct {
	Name  string // what comes before the colon
	Usage string // how it is written, such as "mcts:SIMULATIONS"
	Make  func(game env.Game, args string) (PlayerFactory, error)
}

// PlayerKinds returns the kinds of player of this package.
func PlayerKinds() []PlayerKind {
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

// Parse returns the maker of the players that spec names: one of this
// package's forms or of more. It makes one, so that a player that the game
// does not allow is found at once.
func ParsePlayer(game env.Game, spec string, more ...PlayerKind) (PlayerFactory, error) {
	name, args, _ := strings.Cut(spec, ":")
	forms := append(PlayerKinds(), more...)
	usages := make([]string, len(forms))
	for i, f := range forms {
		usages[i] = f.Usage
		if f.Name != name {
			continue
		}
		maker, err := f.Make(game, args)
		if err != nil {
			return nil, fmt.Errorf("arena: player %q: %w; want %s", spec, err, f.Usage)
		}
		p, err := maker()
		if err != nil {
			return nil, fmt.Errorf("arena: player %q: %w", spec, err)
		}
		return maker, closePlayer(p)
	}
	return nil, fmt.Errorf("arena: player %q is none of %s", spec, strings.Join(usages, ", "))
}

func noArgs(args string) error {
	if args != "" {
		return fmt.Errorf("nothing belongs after the colon, not %q", args)
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
