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

// Factory makes the players of a description.
type Factory struct {
	Spec
	New   func() (Player, error)
	write func(io.Writer) error // writes the weights file of a network; nil: it stays here
}

// Network is a network for players.
type Network struct {
	Evaluator  func() mcts.Evaluator
	MACs       int64  // multiply-adds of an evaluation; 0: not known
	TrainedFor string // canonical game string
	SHA256     string // of its weights, hexadecimal; empty: not known

	// Write writes its weights file, for players elsewhere; nil: it stays here.
	Write func(io.Writer) error
}

// Resources are what players of some kinds need.
type Resources struct {
	Clock Clock // for budgets of time

	// Open opens the network of a description.
	Open func(Spec) (Network, error)

	// Program starts another program as a player of game.
	Program func(game env.Game, s Spec) (Player, error)
}

// Factory returns what makes the players of s, which must be valid, for a game. It opens
// the network, if there is one, but makes no player. The description of the Factory has
// the level replaced by what it means in this game, and is complete.
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
	if err := o.Clock.check(s.Budget); err != nil && !s.isProgram() {
		return f, err
	}
	f.Spec = s
	limit := timeLimit{s.Budget, o.Clock}
	name := s.String()
	switch s.Kind {
	case Random:
		f.New = func() (Player, error) { return &random{name: name}, nil }
	case Greedy:
		f.New = func() (Player, error) { return &greedy{name: name, next: game.New()}, nil }
		return f, needScore(game)
	case AlphaBeta:
		f.New = func() (Player, error) { return newAlphaBeta(name, game, limit), nil }
	case Stubborn:
		f.New = func() (Player, error) { return &stubborn{newAlphaBeta(name, game, limit)}, nil }
		return f, needScore(game)
	case MCTS:
		f.New = func() (Player, error) {
			return newSearcher(name, game, s.rollouts(), limit, func(rng *rand.Rand) mcts.Evaluator { return mcts.NewRollout(game, rng) })
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
	if s.Budget.MACs == 0 || s.Search.Simulations == 0 { // else it was worked out where the network is known better
		if s.Search.Simulations, err = s.Budget.simulations(n.MACs); err != nil {
			return f, err
		}
	}
	name, limit := s.String(), timeLimit{s.Budget, o.Clock}
	return Factory{Spec: s, write: n.Write, New: func() (Player, error) {
		// The evaluator is made when it is needed, and may be shared with other games.
		evaluator := sync.OnceValue(n.Evaluator)
		p, err := newSearcher(name, game, s.Search, limit, func(*rand.Rand) mcts.Evaluator { return evaluator() })
		if err != nil {
			return nil, err
		}
		p.temperature, p.shareable = s.Temperature, true
		return p, nil
	}}, nil
}

// Searching returns the factory of players that search with a network that is at hand, under
// a name of their own.
func Searching(name string, game env.Game, c mcts.Config, temperature float64, n Network) (Factory, error) {
	s := Spec{Kind: Net, Alias: name, Network: name, Budget: Budget{Simulations: c.Simulations}, Search: c, Temperature: temperature}
	return s.Factory(game, Resources{Open: func(Spec) (Network, error) { return n, nil }})
}

// Custom returns the factory of players of the caller's own, which only this machine can
// make.
func Custom(name string, make func() (Player, error)) Factory {
	return Factory{Spec: Spec{Alias: name}, New: make}
}

// Plain returns the factory of the players that text describes, of a kind that needs
// neither network nor program nor clock.
func Plain(game env.Game, text string) (Factory, error) {
	s, err := Parse(text, 1)
	if err != nil {
		return Factory{}, err
	}
	return s.Factory(game, Resources{})
}

// Must is Plain for constants: it panics instead of returning an error.
func Must(game env.Game, text string) Factory {
	f, err := Plain(game, text)
	if err != nil {
		panic(err)
	}
	return f
}

// Remote returns the description by which other machines make the same players, without
// the path of the network, and what writes the network's weights file, nil if there is no
// network. It fails for players that need this machine.
func (f Factory) Remote() (s Spec, weights func(io.Writer) error, err error) {
	s = f.Spec
	if err := s.Local(); err != nil {
		return s, nil, err
	}
	if s.Kind == "" || s.Kind == Net && (s.Weights == "" || f.write == nil) {
		return s, nil, fmt.Errorf("%s needs this machine; workers play %s", s, portable)
	}
	s.Network, s.Alias = "", ""
	return s, f.write, nil
}

// Alone reports whether each game of the player needs a goroutine of its own: with a budget
// of time, another program, or a player of the caller's own.
func (f Factory) Alone() bool { return f.Kind == "" || f.isProgram() || f.Budget.Timed() }

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

// rollouts returns the search of a player of kind MCTS.
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
