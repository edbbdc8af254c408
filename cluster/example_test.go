package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tiro/cluster"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/train"
)

// A training whose games a worker plays. Here both are in one process; the worker may be
// in any other that reaches the server.
func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := freePort() // such as 127.0.0.1:4222
	trainer, err := cluster.New(cluster.Options{
		Listen: at, Lease: cluster.DefaultLease, Version: "v1", Find: games.New, Clock: time.Now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()

	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() {
		stopped <- cluster.Work(ctx, cluster.WorkerOptions{
			URL: "nats://" + at, Name: "laptop", Workers: 1, Memory: 1 << 30, Version: "v1", Find: games.New,
		})
	}()
	err = train.Run(ctx, train.Options{
		Dir: dir, Game: game, Find: games.New, Config: small(), Workers: 1, Backend: kernel.Best(), Generations: 1, Selfplayer: trainer,
	})
	cancel()
	fmt.Println(err, errors.Is(<-stopped, context.Canceled))
	// Output:
	// <nil> true
}
