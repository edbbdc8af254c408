package arena

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
func playerKinds(now func() time.Time) []PlayerKind {
	return []PlayerKind{
		{"random", "random", func(_ env.Game, args string) (PlayerFactory, error) {
			return Random(), noArgs(args)
		}},
		{"greedy", "greedy", func(game env.Game, args string) (PlayerFactory, error) {
			return Greedy(game), noArgs(args)
		}},
		alphaBetaKind("alphabeta", now, AlphaBeta, TimedAlphaBeta),
		alphaBetaKind("stubborn", now, Stubborn, TimedStubborn),
		rolloutKind(now),
	}
}

// alphaBetaKind returns a kind of player that is made by depth or by time.
func alphaBetaKind(name string, now func() time.Time, byDepth func(env.Game, int) PlayerFactory, byTime func(env.Game, TimeLimit) PlayerFactory) PlayerKind {
	return PlayerKind{name, name + ":DEPTH" + orTime(now), func(game env.Game, args string) (PlayerFactory, error) {
		if limit, timed, err := timeLimit(args, now); timed {
			return byTime(game, limit), err
		}
		depth, err := number(args, "depth", MaxDepth)
		return byDepth(game, depth), err
	}}
}

// rolloutKind returns the kind of player that searches with random playouts.
func rolloutKind(now func() time.Time) PlayerKind {
	return PlayerKind{"mcts", "mcts:SIMULATIONS" + orTime(now), func(game env.Game, args string) (PlayerFactory, error) {
		if limit, timed, err := timeLimit(args, now); timed {
			return TimedRollouts(game, limit), err
		}
		simulations, err := number(args, "simulations", MaxSimulations)
		return Rollouts(game, simulations), err
	}}
}

// orTime returns what usages add where there is a clock.
func orTime(now func() time.Time) string {
	if now == nil {
		return ""
	}
	return "|time=T"
}

// timeLimit reads "time=DURATION" where there is a clock, and reports whether args
// is that.
func timeLimit(args string, now func() time.Time) (limit TimeLimit, timed bool, err error) {
	text, found := strings.CutPrefix(args, "time=")
	if !found || now == nil {
		return limit, false, nil
	}
	d, err := parseTime(text)
	return TimeLimit{d, now}, true, err
}

// TimedKinds returns the kinds of player that need no network, with budgets of time
// by a clock: alphabeta:time=100ms. A match with such a player does not have the
// same result again.
func TimedKinds(now func() time.Time) []PlayerKind { return playerKinds(now) }

// ParsePlayer returns the factory of the players that spec names, of a kind that
// needs no network or of more, which come before those of the same name. It makes
// one player to find out whether the game allows them.
func ParsePlayer(game env.Game, spec string, more ...PlayerKind) (PlayerFactory, error) {
	name, args, _ := strings.Cut(spec, ":")
	kinds := playerKinds(nil)
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
	return slices.ContainsFunc(playerKinds(nil), func(k PlayerKind) bool { return k.Name == name })
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
