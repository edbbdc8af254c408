package arena

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
)

// PlayerKind is a kind of player that ParsePlayer understands, written NAME or
// NAME:ARGS.
type PlayerKind struct {
	Name  string // before the colon
	Usage string // for error messages, such as "mcts:SIMULATIONS"
	New   func(game env.Game, args string) (PlayerFactory, error)
}

// playerKinds returns the kinds of player that need no network. With a clock they
// may have a budget of time.
func playerKinds(clock Clock) []PlayerKind {
	return []PlayerKind{
		{"random", "random", func(_ env.Game, args string) (PlayerFactory, error) {
			return Random(), noArgs(args)
		}},
		{"greedy", "greedy", func(game env.Game, args string) (PlayerFactory, error) {
			return Greedy(game), noArgs(args)
		}},
		alphaBetaKind("alphabeta", clock, AlphaBeta, TimedAlphaBeta),
		alphaBetaKind("stubborn", clock, Stubborn, TimedStubborn),
		rolloutKind(clock),
	}
}

// alphaBetaKind returns a kind of player that is made by depth or by time.
func alphaBetaKind(name string, clock Clock, byDepth func(env.Game, int) PlayerFactory, byTime func(env.Game, TimeLimit) PlayerFactory) PlayerKind {
	return PlayerKind{name, name + ":DEPTH" + orTime(clock), func(game env.Game, args string) (PlayerFactory, error) {
		if limit, timed, err := timeLimit(args, clock); timed {
			return byTime(game, limit), err
		}
		depth, err := number(args, "depth", MaxDepth)
		return byDepth(game, depth), err
	}}
}

// rolloutKind returns the kind of player that searches with random playouts.
func rolloutKind(clock Clock) PlayerKind {
	return PlayerKind{"mcts", "mcts:SIMULATIONS" + orTime(clock), func(game env.Game, args string) (PlayerFactory, error) {
		if limit, timed, err := timeLimit(args, clock); timed {
			return TimedRollouts(game, limit), err
		}
		if key, n, _ := strings.Cut(args, "="); isSimulations(key) { // as of a network
			args = n
		}
		simulations, err := number(args, "simulations", MaxSimulations)
		return Rollouts(game, simulations), err
	}}
}

// orTime returns what usages add where there is a clock.
func orTime(clock Clock) (text string) {
	if clock.Now != nil {
		text += "|time=T"
	}
	if clock.CPU != nil {
		text += "|cpu=T"
	}
	return text
}

// timeLimit reads "time=DURATION" or "cpu=DURATION" where there is a clock, and
// reports whether args is that.
func timeLimit(args string, clock Clock) (limit TimeLimit, timed bool, err error) {
	key, _, _ := strings.Cut(args, "=")
	if key != "time" && key != "cpu" || clock.Now == nil {
		return limit, false, nil
	}
	limit.Clock = clock
	if limit.Budget, err = parseBudget(args); err == nil {
		err = clock.check(limit.Budget)
	}
	return limit, true, err
}

// TimedKinds returns the kinds of player that need no network, with budgets of time
// by a clock: alphabeta:time=100ms. A match with such a player does not have the
// same result again.
func TimedKinds(clock Clock) []PlayerKind { return playerKinds(clock) }

// ParsePlayer returns the factory of the players that spec names, of a kind that
// needs no network or of more, which come before those of the same name. It makes
// one player to find out whether the game allows them.
func ParsePlayer(game env.Game, spec string, more ...PlayerKind) (PlayerFactory, error) {
	name, args, _ := strings.Cut(spec, ":")
	kinds := playerKinds(Clock{})
	for _, kind := range more {
		if i := slices.IndexFunc(kinds, func(k PlayerKind) bool { return k.Name == kind.Name }); i >= 0 {
			kinds[i] = kind
		} else {
			kinds = append(kinds, kind)
		}
	}
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

// IsPlayer reports whether the first word of a player's name, such as "mcts", is that
// of a kind that needs no network.
func IsPlayer(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return slices.ContainsFunc(playerKinds(Clock{}), func(k PlayerKind) bool { return k.Name == name })
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
