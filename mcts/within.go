package mcts

import "tiro/env"

// Within returns c with the most nodes whose Search of game takes at most so many
// bytes.
func (c Config) Within(game env.Game, bytes int64) Config {
	low, high := 2, 1<<30 // the first fits, or nothing does
	for low+1 < high {
		c.MaxNodes = low + (high-low)/2
		if c.Bytes(game) <= bytes {
			low = c.MaxNodes
		} else {
			high = c.MaxNodes
		}
	}
	c.MaxNodes = low
	return c
}
