package mcts

import (
	"sort"

	"tiro/env"
)

// Within returns c with the greatest MaxNodes for which a Search of game takes at most the
// given number of bytes.
func (c Config) Within(game env.Game, bytes int64) Config {
	const least, most = 2, 1<<30 - 1
	c.MaxNodes = least + sort.Search(most-least, func(i int) bool {
		c.MaxNodes = least + i + 1
		return c.Bytes(game) > bytes
	})
	return c
}
