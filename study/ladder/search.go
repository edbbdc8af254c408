package ladder

import (
	"errors"
	"fmt"
	"strings"

	"tiro/arena"
	"tiro/configs"
	"tiro/mcts"
	"tiro/net"
)

// SearchSettings returns all settings of a search that are not 0, off or empty, for a
// Player. They say how to search whatever the defaults become.
func SearchSettings(c mcts.Config) ([]string, error) { return configs.Assignments(&mcts.Config{}, &c) }

// searchConfig returns the search that settings say, and the temperature by which actions
// are drawn, 0 for none.
func searchConfig(settings []string) (c mcts.Config, temperature float64, err error) {
	const most = 100 // settings of a search, and bytes of each
	if len(settings) > most {
		return c, 0, fmt.Errorf("%d settings; want at most %d", len(settings), most)
	}
	for _, text := range settings {
		if len(text) > most || strings.ContainsAny(text, "\n\r") {
			return c, 0, fmt.Errorf("%.60q is no setting", text)
		}
		if t, is, err := arena.ParseTemperature(text); err != nil {
			return c, 0, err
		} else if is {
			temperature = t
			continue
		}
		if err := configs.Set(&c, text); err != nil {
			return c, 0, err
		}
	}
	if err := c.Validate(); err != nil {
		return c, 0, err
	}
	if c.RootNoise {
		return c, 0, errors.New("root_noise is on; want a search of full strength")
	}
	return c, temperature, nil
}

// NewNetworkPlayer returns the player that searches with a network, and draws its actions
// by a temperature unless that is 0.
func NewNetworkPlayer(name string, w *net.Weights, c mcts.Config, temperature float64) (p Player, err error) {
	p.Name = name
	if p.Weights, err = Checksum(w); err != nil {
		return p, err
	}
	if p.Search, err = SearchSettings(c); err != nil {
		return p, err
	}
	if temperature > 0 {
		p.Search = append(p.Search, arena.FormatTemperature(temperature))
	}
	_, _, err = searchConfig(p.Search)
	return p, err
}
