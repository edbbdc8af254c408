package player

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"tiro/env"
	"tiro/mcts"
)

// Factory makes the players of a Spec.
type Factory struct {
	Spec
	New   func() (Player, error)
	Batch int                   // of the network, see Network.Batch
	write func(io.Writer) error // writes the weights file; nil if the network cannot be sent
}

// Network is a network for players.
type Network struct {
	Evaluator  func() mcts.Evaluator
	Batch      int    // positions in the best batches of the device that all evaluators share; 0 if there is none
	MACs       int64  // multiply-adds of an evaluation; 0 if unknown
	TrainedFor string // canonical game string
	SHA256     string // digest of the weights, hexadecimal; "" if unknown

	// Write writes the weights file, for players on other machines. It is nil if the
	// network cannot be sent.
	Write func(io.Writer) error
}

// Resources are needed by some kinds of players.
type Resources struct {
	Clock Clock // for limits of time

	// Open opens the network of a Spec.
	Open func(Spec) (Network, error)

	// Program starts another program as a player of game.
	Program func(game env.Game, s Spec) (Player, error)
}

// Factory returns the factory of the player s for a game. It validates s and opens its
// network, but makes no player. In the Spec of the factory, all fields are set and the game's
// budget and temperature replace a level.
func (s Spec) Factory(game env.Game, o Resources) (f Factory, err error) {
	if err = s.Validate(); err == nil {
		f, err = s.factory(game, o)
	}
	if err != nil {
		return f, fmt.Errorf("player %s: %w", s, err)
	}
	return f, nil
}

func (s Spec) factory(game env.Game, o Resources) (f Factory, err error) {
	if err := o.Clock.check(s); err != nil && !s.isProgram() {
		return f, err
	}
	f.Spec = s
	name := s.String()
	switch s.Kind {
	case Random:
		f.New = func() (Player, error) { return &random{name: name}, nil }
	case Greedy:
		f.New = func() (Player, error) { return &greedy{name: name, next: game.New()}, nil }
		return f, needScore(game)
	case AlphaBeta:
		f.New = func() (Player, error) { return newAlphaBeta(name, game, newTimeLimit(s, o.Clock)), nil }
	case Stubborn:
		f.New = func() (Player, error) { return &stubborn{newAlphaBeta(name, game, newTimeLimit(s, o.Clock))}, nil }
		return f, needScore(game)
	case MCTS:
		f.New = func() (Player, error) {
			return newSearcher(name, game, s.rollouts(), newTimeLimit(s, o.Clock), func(rng *rand.Rand) mcts.Evaluator { return mcts.NewRollout(game, rng) })
		}
	case Net:
		return s.network(game, o)
	case UGI, GTP:
		if o.Program == nil {
			return f, errors.New("other programs cannot play here")
		}
		f.New = func() (Player, error) { return o.Program(game, s) }
	}
	return f, nil
}

// network is factory for a player with a network.
func (s Spec) network(game env.Game, o Resources) (f Factory, err error) {
	if s.Level > 0 {
		level, err := LevelOf(game.Spec().Name, s.Level)
		if err != nil {
			return f, err
		}
		s.Level, s.Budget, s.Temperature = 0, Budget{Simulations: level.Simulations}, level.Temperature
	}
	if o.Open == nil {
		return f, errors.New("networks cannot play here")
	}
	n, err := o.Open(s)
	if err != nil {
		return f, err
	}
	s.Weights, s.TrainedFor = n.SHA256, n.TrainedFor
	if s.Budget.MACs == 0 || s.Search.Simulations == 0 { // otherwise set by the machine that sent s
		if s.Search.Simulations, err = s.Budget.simulations(n.MACs); err != nil {
			return f, err
		}
	}
	name := s.String()
	return Factory{Spec: s, Batch: n.Batch, write: n.Write, New: func() (Player, error) {
		// The evaluator is made on first use, and may be shared with other games.
		evaluator := sync.OnceValue(n.Evaluator)
		p, err := newSearcher(name, game, s.Search, newTimeLimit(s, o.Clock), func(*rand.Rand) mcts.Evaluator { return evaluator() })
		if err != nil {
			return nil, err
		}
		p.temperature, p.shareable = s.Temperature, true
		return p, nil
	}}, nil
}

// Searching returns the factory of players with the given name that search with the open
// network n.
func Searching(name string, game env.Game, c mcts.Config, temperature float64, n Network) (Factory, error) {
	s := Spec{Kind: Net, Alias: name, Network: name, Budget: Budget{Simulations: c.Simulations}, Search: c, Temperature: temperature}
	return s.Factory(game, Resources{Open: func(Spec) (Network, error) { return n, nil }})
}

// Custom returns a factory that calls make. Only this process can make its players.
func Custom(name string, make func() (Player, error)) Factory {
	return Factory{Spec: Spec{Alias: name}, New: make}
}

// Plain returns the factory of a player that needs no network, program or clock.
func Plain(game env.Game, text string) (Factory, error) {
	s, err := Parse(text, 1)
	if err != nil {
		return Factory{}, err
	}
	return s.Factory(game, Resources{})
}

// Must is like Plain, but panics on an error. It is for constant descriptions.
func Must(game env.Game, text string) Factory {
	f, err := Plain(game, text)
	if err != nil {
		panic(err)
	}
	return f
}

// Remote returns a Spec with which other machines can make the same players. It has no path
// of a network; weights writes the network's weights file instead, and is nil if there is no
// network. Remote returns an error for players that only this machine can make.
func (f Factory) Remote() (s Spec, weights func(io.Writer) error, err error) {
	s = f.Spec
	if err := s.Local(); err != nil {
		return s, nil, err
	}
	if s.Kind == "" || s.Kind == Net && (s.Weights == "" || f.write == nil) {
		return s, nil, fmt.Errorf("%s cannot play on workers (only %s)", s, portable)
	}
	s.Network, s.Alias = "", ""
	return s, f.write, nil
}

// Alone reports whether each game of the player needs its own goroutine. This holds for a
// limit of time, other programs and custom players.
func (f Factory) Alone() bool { return f.Kind == "" || f.isProgram() || f.Timed() }

// TreeBytes returns the size of a player's search tree, in bytes.
func (f Factory) TreeBytes(game env.Game) int64 {
	switch f.Kind {
	case Net:
		return f.Search.Bytes(game)
	case MCTS:
		return f.rollouts().Bytes(game)
	}
	return 0
}

// rollouts returns the configuration of a player of kind MCTS.
func (s Spec) rollouts() mcts.Config {
	c := RolloutConfig()
	c.Simulations = cmp.Or(s.Budget.Simulations, MaxSimulations)
	return c
}

// Close closes a player that is an io.Closer.
func Close(p Player) error {
	if c, ok := p.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
