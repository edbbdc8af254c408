package mcts

import "tiro/env"

// Within returns c with the greatest MaxNodes for which a Search of game takes at most the
// given number of bytes.
func (c Config) Within(game env.Game, bytes int64) Config {
	low, high := 2, 1<<30 // low fits, unless nothing does
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
