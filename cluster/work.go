package cluster

import (
	"context"
	"fmt"

	"tiro/configs"
	"tiro/net"
)

// work is numbered games, each of which follows from an announcement and its number: the
// games of a generation of a run, or of matches.
type work interface {
	fmt.Stringer // for messages, as in "game 3 of generation 12"

	size() int // number of games
	// prepare fetches the networks, for games on this many goroutines.
	prepare(ctx context.Context, f *fetcher, backend net.Backend, goroutines int) (needs, error)
	// play plays the games that arrive in a hand, until ctx ends.
	play(ctx context.Context, h *hand) error
	// read reads the message of a game and replays it by the rules.
	read(data []byte) (received, error)
}

// received is a valid game.
type received struct {
	number int
	digest string
	// keep passes the game on, and returns the numbers of games that are no longer wanted.
	keep func() (unwanted []int, err error)
}

// needs is the memory of games besides their networks, in bytes.
type needs struct {
	goroutine int64 // each needs this much
	game      int64 // each game of a goroutine needs this much
	atOnce    int   // games of a goroutine at most
}

// programBytes is the memory of a worker's process without its networks and games.
const programBytes = 48 << 20

// fitting returns how many games each goroutine may play at once with this much memory, of
// which networks take a part.
func fitting(memory, networks int64, goroutines int, n needs) (atOnce int, err error) {
	left := (memory-programBytes-networks)/int64(goroutines) - n.goroutine
	if left < n.game {
		about := func(bytes int64) string { return configs.Bytes(bytes).About() }
		return 0, fmt.Errorf("the games of %d goroutines need %s of memory (caches and evaluators %s and a search tree %s each, networks %s), and --memory is %s; increase it, or use fewer --workers",
			goroutines, about(programBytes+networks+int64(goroutines)*(n.goroutine+n.game)), about(n.goroutine), about(n.game), about(networks), about(memory))
	}
	return int(min(int64(n.atOnce), left/max(1, n.game))), nil
}
