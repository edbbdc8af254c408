package cluster

import (
	"context"
	"fmt"
	"io"

	"tiro/configs"
	"tiro/net"
)

// work is numbered games, each of which follows from an announcement and its number: the
// games of a generation of a run, or of matches.
type work interface {
	fmt.Stringer // for messages, as in "game 3 of generation 12"

	// prepare fetches the networks and returns how many games a goroutine may play at
	// once. It refuses games that do not fit into the fetcher's memory.
	prepare(ctx context.Context, f *fetcher, backend net.Backend, goroutines int) (atOnce int, err error)
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

// order is work that a trainer wants done.
type order struct {
	work
	announcement announcement
	size         int
	done         []int                            // numbers of games that exist already
	networks     map[string]func(io.Writer) error // write weights files, by objectOf their checksums
}

// programBytes is the memory of a worker's process without its networks and games.
const programBytes = 48 << 20

// fitting returns how many games each goroutine may play at once, at most most, with this
// much memory. Goroutines need perGoroutine bytes each and perGame for each game; networks
// are shared.
func fitting(memory int64, goroutines, most int, perGoroutine, perGame, networks int64) (atOnce int, err error) {
	left := (memory-programBytes-networks)/int64(goroutines) - perGoroutine
	if left < perGame {
		about := func(bytes int64) string { return configs.Bytes(bytes).About() }
		return 0, fmt.Errorf("%d goroutines need %s of memory (caches and evaluators %s and a search tree %s each, networks %s), and --memory is %s; increase it, or use fewer --workers",
			goroutines, about(programBytes+networks+int64(goroutines)*(perGoroutine+perGame)), about(perGoroutine), about(perGame), about(networks), about(memory))
	}
	return int(min(int64(most), left/max(1, perGame))), nil
}
