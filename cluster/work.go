package cluster

import (
	"context"
	"errors"
	"fmt"

	"tiro/configs"
	"tiro/net/kernel"
)

// work is numbered games, each of which follows from an announcement and its number: a
// generation of a run, or matches. A worker has it from the announcement, and the trainer
// has it to have it done.
type work interface {
	fmt.Stringer        // for people, as in "game 3 of generation 12"
	common() *announced // what it has in common with other work

	// prepare gets the networks, for which it waits, and returns how many games a goroutine
	// may play at once. It refuses what does not fit into the fetcher's memory.
	prepare(ctx context.Context, f *fetcher, backend kernel.Backend, goroutines int) (atOnce int, err error)
	// play plays the games that come to a hand, until ctx ends. A work plays once at a time.
	play(ctx context.Context, h *hand) error

	encode() ([]byte, error) // the announcement
	size() int
	done() []int // numbers of games that are there already
	// networks returns what writes the weights files of networks, by name.
	networks() map[string]func() ([]byte, error)
	// read reads the message of a game and checks all of it that can be checked without
	// playing it again.
	read(data []byte) (received, error)
}

// received is a game that was received and may be right.
type received struct {
	number int
	digest string
	// keep gives the game to whoever wanted it played, and returns the numbers of games
	// that are not wanted any more. An error means that the game is not kept.
	keep func() (unwanted []int, err error)
}

// errReplaced says that something else is to be played.
var errReplaced = errors.New("something else is to be played")

// programBytes is what a worker's process takes besides what it plays with.
const programBytes = 48 << 20

// fitting returns how many games each goroutine may play at once, at most a number, in a
// memory. Each goroutine takes bytes besides those of each game, and networks are shared.
func fitting(memory int64, goroutines, most int, perGoroutine, perGame, networks int64) (atOnce int, err error) {
	left := (memory - programBytes - networks) / int64(goroutines)
	if left -= perGoroutine; left < perGame {
		need := programBytes + networks + int64(goroutines)*(perGoroutine+perGame)
		return 0, fmt.Errorf("%w: it needs %s of memory with %d goroutines (caches and evaluators %s and a search tree %s each, networks %s), and --memory is %s; want more, or fewer --workers",
			errRefused, configs.Bytes(need).About(), goroutines, configs.Bytes(perGoroutine).About(), configs.Bytes(perGame).About(), configs.Bytes(networks).About(), configs.Bytes(memory).About())
	}
	return int(min(int64(most), left/max(1, perGame))), nil
}
