package player

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tiro/configs"
	"tiro/internal/faults"
	"tiro/mcts"
	"tiro/player/clock"
)

// Kinds of players.
const (
	Random    = "random"    // uniform among the legal actions
	Greedy    = "greedy"    // looks one action ahead with the game's heuristic score
	AlphaBeta = "alphabeta" // alpha-beta search
	Stubborn  = "stubborn"  // alpha-beta search; plays for a draw and for time when behind
	MCTS      = "mcts"      // tree search with random playouts
	Net       = "net"       // tree search with a network
	UGI       = "ugi"       // another program that speaks UGI
	GTP       = "gtp"       // another program that speaks the Go Text Protocol
)

// Spec describes a player completely, for all machines with the same version of the program.
// Parse reads it from a command line and String prints it. Other machines receive it as JSON.
// Fields that a kind does not use are zero.
type Spec struct {
	Kind string `json:"kind"`

	// Alias is the player's name in reports; usually "", for the description.
	Alias string `json:"alias,omitempty"`

	Budget Budget `json:"budget,omitzero"` // for each action; zero if only the clock limits the search

	Clock clock.Control `json:"clock,omitzero"` // time control, as settings such as tc=10+0.1; "" for none

	// The following fields are for kind Net.

	Network     string      `json:"network,omitempty"`     // run folder, checkpoint, weights file, "bundled" or "bundled:GAME"
	Weights     string      `json:"weights,omitempty"`     // SHA-256 of the weights file, hexadecimal; empty until the network is opened
	TrainedFor  string      `json:"trained_for,omitempty"` // canonical game string; empty until the network is opened
	Search      mcts.Config `json:"search,omitzero"`       // its Simulations follow from the Budget once the network is opened
	Temperature float64     `json:"temperature,omitempty"` // draws actions from the policy raised to 1/Temperature; 0 plays the best action
	Level       int         `json:"level,omitempty"`       // level of the game, instead of a budget and a temperature; 0 for none

	// The following fields are for kinds UGI and GTP.

	Command string        `json:"command,omitempty"` // split at blanks that are not quoted
	Timeout time.Duration `json:"timeout,omitempty"` // time for an answer in addition to the budget; 0 for DefaultTimeout
	Options []Option      `json:"options,omitempty"` // options to set in the program
}

// Option is an option of another program.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DefaultTimeout is the default time for another program's answer, in addition to its budget.
const DefaultTimeout = 30 * time.Second

// Bounds of a temperature.
const (
	minTemperature = 0.01
	maxTemperature = 100
)

// String returns the player's Alias, or if there is none the canonical description, which
// Parse parses to the same player.
func (s Spec) String() string {
	switch {
	case s.Alias != "":
		return s.Alias
	case s.Kind == Net:
		return Net + ":" + s.Label()
	case s.isProgram():
		text := s.Kind + ":" + s.Command + join(",", s.limits(Budget.nodes))
		if s.Timeout != 0 {
			text += ",timeout=" + s.Timeout.String()
		}
		for _, o := range s.Options {
			text += "," + optionPrefix + o.Name + "=" + o.Value
		}
		return text
	}
	return s.Kind + join(":", s.limits(Budget.bare))
}

// limits returns the settings of the budget, formatted by format, and of the clock.
func (s Spec) limits(format func(Budget) string) (settings []string) {
	if s.Budget != (Budget{}) {
		settings = append(settings, format(s.Budget))
	}
	if s.Clock != (clock.Control{}) {
		settings = append(settings, s.Clock.String())
	}
	return settings
}

// join returns settings after a first separator, or "" without any.
func join(first string, settings []string) string {
	if len(settings) == 0 {
		return ""
	}
	return first + strings.Join(settings, ",")
}

// Timed reports whether the player has a limit of time. Its games cannot be reproduced.
func (s Spec) Timed() bool { return s.Budget.Timed() || s.Clock.Limits() }

// isProgram reports whether the player is another program.
func (s Spec) isProgram() bool { return s.Kind == UGI || s.Kind == GTP }

// Label is like String without the "net:" of networks, for tables of networks.
func (s Spec) Label() string {
	if s.Kind != Net || s.Alias != "" {
		return s.String()
	}
	text := cmp.Or(s.Network, s.Weights)
	if s.Level > 0 {
		text += ",level=" + strconv.Itoa(s.Level)
		s.Budget = Budget{}
	}
	text += join(",", s.limits(Budget.String))
	if s.Temperature > 0 {
		text += ",temperature=" + strconv.FormatFloat(s.Temperature, 'g', -1, 64)
	}
	usual := NetworkConfig(s.Search.Simulations)
	return text + join(",", configs.Assignments(&usual, &s.Search))
}

// Key identifies the player: players with the same key play the same moves. The key does not
// contain the path of a network if its weights are known.
func (s Spec) Key() string {
	if s.Weights != "" {
		s.Alias, s.Network = "", ""
	}
	return s.String()
}

// WithNetwork returns s with another network.
func (s Spec) WithNetwork(network string) Spec {
	s.Network, s.Weights, s.TrainedFor = network, "", ""
	return s
}

// Validate reports the faults of the description. Factory also checks it against a game.
func (s Spec) Validate() error {
	if err := s.Clock.Validate(); err != nil {
		return err
	}
	if s.Clock.Limits() && s.Budget.Timed() {
		return fmt.Errorf("%s and %s both limit the time; remove one", s.Budget, s.Clock)
	}
	switch s.Kind {
	case Random, Greedy:
		return nil
	case AlphaBeta, Stubborn:
		return s.validateBudget("depth", s.Budget.Depth, MaxDepth)
	case MCTS:
		return s.validateBudget("simulations", s.Budget.Simulations, MaxSimulations)
	case Net:
		return s.validateNetwork()
	case GTP:
		if s.Budget != (Budget{Time: s.Budget.Time}) || len(s.Options) > 0 {
			return errors.New("a GTP program takes only the settings time=T, tc=, st=, timemargin= and timeout=T (pass others as arguments of its command)")
		}
		_, err := s.Words()
		return err
	case UGI:
		if _, err := s.Words(); err != nil {
			return err
		}
		return s.validateBudget("nodes", s.Budget.Simulations, MaxSimulations)
	}
	return unknownKind(s.Kind)
}

// validateBudget validates the budget, which a clock makes optional.
func (s Spec) validateBudget(name string, n, most int) error {
	if s.Clock.Limits() && s.Budget == (Budget{}) {
		return nil
	}
	return s.Budget.validate(name, n, most)
}

func (s Spec) validateNetwork() error {
	if s.Network == "" && s.Weights == "" {
		return errors.New("no run folder or file")
	}
	if s.Level == 0 {
		if err := s.validateBudget("simulations", s.Budget.Simulations, MaxSimulations); err != nil {
			return err
		}
	}
	if s.Timed() && s.Search.Root == mcts.RootGumbel {
		limit := s.Clock.String()
		if s.Budget.Timed() {
			limit = s.Budget.String()
		}
		return fmt.Errorf("%s cannot be combined with root=%s, whose search cannot end at any time; use root=%s or root=%s",
			limit, mcts.RootGumbel, mcts.RootImproved, mcts.RootPUCT)
	}
	var f faults.List
	f.Check(s.Temperature == 0 || s.Temperature >= minTemperature && s.Temperature <= maxTemperature,
		"temperature", s.Temperature, fmt.Sprintf("%v to %v", minTemperature, maxTemperature))
	search := s.Search
	search.Simulations = cmp.Or(search.Simulations, 1) // unknown until the network is opened
	f.Add(search.Validate())
	return f.Err()
}

// Local returns an error with the reason if only this machine can make the player.
func (s Spec) Local() error {
	switch {
	case s.isProgram():
		return fmt.Errorf("%s is a program on this machine and cannot play on workers (only %s)", s, portable)
	case s.Timed():
		return fmt.Errorf("%s has a limit of time and cannot play on workers, which differ in speed (only %s)", s, portable)
	}
	return nil
}

// portable describes the players that can play on workers, for error messages.
const portable = "networks, random, greedy, alphabeta, stubborn and mcts, with a budget of simulations, depth or multiply-adds"
