package ladder

import (
	"errors"

	"tiro/arena"
	"tiro/mcts"
	"tiro/net"
)

// searchConfig returns the search that settings say, and the temperature by which actions
// are drawn, 0 for none.
func searchConfig(settings []string) (c mcts.Config, temperature float64, err error) {
	c, temperature, err = arena.ParseSearch(settings)
	if err == nil && c.RootNoise {
		err = errors.New("root_noise is on; want a search of full strength")
	}
	return c, temperature, err
}

// NewNetworkPlayer returns the player that searches with a network, and draws its actions
// by a temperature unless that is 0.
func NewNetworkPlayer(name string, w *net.Weights, c mcts.Config, temperature float64) (p Player, err error) {
	p.Name = name
	if p.Weights, err = w.Checksum(); err != nil {
		return p, err
	}
	if p.Search, err = arena.SearchSettings(c); err != nil {
		return p, err
	}
	if temperature > 0 {
		p.Search = append(p.Search, arena.FormatTemperature(temperature))
	}
	_, _, err = searchConfig(p.Search)
	return p, err
}
