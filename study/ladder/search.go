package ladder

import (
	"errors"
	"fmt"
	"strings"

	"tiro/configs"
	"tiro/mcts"
	"tiro/net"
)

// SearchSettings returns all settings of a search that are not 0, off or empty, for a
// Player. They say how to search whatever the defaults become.
func SearchSettings(c mcts.Config) ([]string, error) { return configs.Assignments(&mcts.Config{}, &c) }

// searchConfig returns the search that settings say.
func searchConfig(settings []string) (c mcts.Config, err error) {
	const most = 100 // settings of a search, and bytes of each
	if len(settings) > most {
		return c, fmt.Errorf("%d settings; want at most %d", len(settings), most)
	}
	for _, text := range settings {
		if len(text) > most || strings.ContainsAny(text, "\n\r") {
			return c, fmt.Errorf("%.60q is no setting", text)
		}
		if err := configs.Set(&c, text); err != nil {
			return c, err
		}
	}
	if err := c.Validate(); err != nil {
		return c, err
	}
	if c.RootNoise {
		return c, errors.New("root_noise is on; want a search of full strength")
	}
	return c, nil
}

// NewNetworkPlayer returns the player that searches with a network.
func NewNetworkPlayer(name string, w *net.Weights, c mcts.Config) (p Player, err error) {
	p.Name = name
	if p.Weights, err = Checksum(w); err != nil {
		return p, err
	}
	if p.Search, err = SearchSettings(c); err != nil {
		return p, err
	}
	_, err = searchConfig(p.Search)
	return p, err
}
