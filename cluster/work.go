package cluster

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"tiro/net/kernel"
	"tiro/selfplay"
)

// work is numbered games, each of which follows from an announcement and its number: a
// generation of a run, or matches.
type work interface {
	fmt.Stringer        // for people, as in "game 3 of generation 12"
	attrs() []any       // for a log
	atOnce() int        // games that a goroutine plays at once, at most
	common() *announced // what it has in common with other work

	// play plays the games whose numbers come until there are no more, or ctx ends. A
	// work plays once at a time.
	play(ctx context.Context, p playing) error
}

// playing says which games a process plays, and how.
type playing struct {
	workers  int // goroutines
	expected int // about how many games it has at a time
	numbers  <-chan int
	finished func(game) error // takes each as it ends; called by one goroutine at a time
	stats    *selfplay.Stats  // may be nil
}

// game is a finished game.
type game interface {
	number() int
	message() ([]byte, error)
	digest() (string, error)

	// keep gives the game to whoever wanted it played, and returns the numbers of games
	// that are not wanted any more. An error means that the game is not kept.
	keep() (unwanted []int, err error)
}

// assignment is work that a worker is given.
type assignment interface {
	work
	// prepare gets what the object store holds. It waits until that is there.
	prepare(ctx context.Context, f *fetcher, backend kernel.Backend) error
}

// order is work that this process wants done.
type order interface {
	work
	encode() ([]byte, error) // the announcement
	size() int
	done() []int // numbers of games that are there already
	backend() string

	// objects returns what the object store must hold, by name.
	objects() (map[string]func() ([]byte, error), error)
	// read reads the message of a game and checks all of it that can be checked without
	// playing it again.
	read(data []byte) (game, error)
	// local returns the same work, to be played by this process on a backend.
	local(backend string, c *counter) (work, error)
	// retract takes kept games back, because a worker was dropped, and returns the numbers
	// of all games that are wanted then. An error ends the work.
	retract(numbers []int, worker string) (wanted []int, err error)
}

// fetcher is where a worker gets networks and start positions from.
type fetcher struct {
	js       jetstream.JetStream
	counted  *counter
	networks networks
	failed   func(error) // is told what does not work, and is tried again

	// got is told which network was fetched.
	got func(sum string)
}

// replay plays one game and returns its digest.
func replay(ctx context.Context, w work, number int) (digest string, err error) {
	numbers := make(chan int, 1)
	numbers <- number
	close(numbers)
	var found game
	err = w.play(ctx, playing{workers: 1, expected: 1, numbers: numbers, finished: func(g game) error { found = g; return nil }})
	if err != nil {
		return "", err
	}
	return found.digest()
}
