package arena

import (
	"fmt"
	"io"
	"strings"

	"tiro/configs"
	"tiro/env"
	"tiro/mcts"
)

// Specification says how to make a player, in any program of the same version: it names
// one of the kinds that ParsePlayer knows by itself, or a network and how to search with
// it. It names no file and no command.
type Specification struct {
	Name       string   `json:"name,omitempty"`        // for ParsePlayer; empty for a network
	Search     []string `json:"search,omitempty"`      // of a network: all settings, for ParseSearch
	Weights    string   `json:"weights,omitempty"`     // of a network: SHA-256 of its weights file
	TrainedFor string   `json:"trained_for,omitempty"` // of a network: canonical game string

	// Write writes the weights file of a network.
	Write func(io.Writer) error `json:"-"`
}

// Specify returns the specification of a player. It fails for one that cannot play on
// another machine as it does here: other programs, and players against the clock.
func Specify(p Player) (s Specification, err error) {
	limit, ok := TimeLimit{}, true
	switch p := p.(type) {
	case *random, *greedy:
	case *alphaBeta:
		limit = p.limit
	case *stubborn:
		limit = p.limit
	case *Searcher:
		limit = p.limit
		network := p.network.Write != nil && p.network.SHA256 != ""
		ok = network || p.rollouts || limit.Budget.timed()
		if network {
			s.Weights, s.TrainedFor, s.Write = p.network.SHA256, p.network.TrainedFor, p.network.Write
			s.Search, err = p.settings()
		}
	default:
		ok = false
	}
	switch {
	case !ok:
		return s, fmt.Errorf("arena: player %s needs this machine; on workers want networks, random, greedy, alphabeta, stubborn or mcts", p.Name())
	case limit.Budget.timed():
		return s, fmt.Errorf("arena: player %s: its budget is one of time, and machines are not equally fast; on workers want depths, sims=N or macs=N", p.Name())
	}
	if s.Weights == "" {
		s.Name = p.Name()
	}
	return s, err
}

// settings returns all settings of the player's search, and its temperature unless that is 0.
func (p *Searcher) settings() ([]string, error) {
	all, err := SearchSettings(p.config)
	if p.temperature > 0 {
		all = append(all, FormatTemperature(p.temperature))
	}
	return all, err
}

// Factory returns what makes the players of a specification, of which open opens the
// network.
func (s Specification) Factory(game env.Game, open func(s Specification) (Network, error)) (PlayerFactory, error) {
	if s.Weights == "" {
		return ParsePlayer(game, s.Name)
	}
	c, temperature, err := ParseSearch(s.Search)
	if err != nil {
		return nil, fmt.Errorf("arena: search: %w", err)
	}
	network, err := open(s)
	return NetworkSearch("net:"+s.Weights, game, c, temperature, network), err
}

// SearchSettings returns all settings of a search that are not 0, off or empty. They say
// how to search whatever the defaults become.
func SearchSettings(c mcts.Config) ([]string, error) { return configs.Assignments(&mcts.Config{}, &c) }

// ParseSearch returns the search that settings say, and the temperature by which actions
// are drawn, 0 for none.
func ParseSearch(settings []string) (c mcts.Config, temperature float64, err error) {
	const most = 100 // settings of a search, and bytes of each
	if len(settings) > most {
		return c, 0, fmt.Errorf("%d settings; want at most %d", len(settings), most)
	}
	for _, text := range settings {
		if len(text) > most || strings.ContainsAny(text, "\n\r") {
			return c, 0, fmt.Errorf("%.60q is no setting", text)
		}
		if t, is, err := ParseTemperature(text); err != nil {
			return c, 0, err
		} else if is {
			temperature = t
			continue
		}
		if err := configs.Set(&c, text); err != nil {
			return c, 0, err
		}
	}
	return c, temperature, c.Validate()
}
