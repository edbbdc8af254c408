package cluster_test

import (
	"context"
	"fmt"
	"time"

	"tiro/arena"
	"tiro/cluster"
	"tiro/env/games"
	"tiro/player"
)

// A match whose games a worker plays, which may be in any process that reaches the server.
func ExampleTrainer_PlayGames() {
	game, err := games.New("mnk")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := make(chan string, 1)
	trainer, err := cluster.New(cluster.Options{
		Listen: "127.0.0.1:0", Lease: time.Second, Version: "v1", Backend: "go", Find: games.New, Clock: time.Now,
		Info: func(text string, attrs ...any) {
			if text == "waiting for workers" {
				at <- attrs[1].(string)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan error, 1)
	go func() {
		worked <- cluster.Work(ctx, cluster.WorkerOptions{
			URL: "nats://" + <-at, Name: "laptop", Workers: 2, Memory: 1 << 30, Version: "v1", Find: games.New,
		})
	}()
	report, err := arena.Play(ctx, arena.Match{
		Game: game, Players: []player.Factory{player.Must(game, "alphabeta:9"), player.Must(nil, "random")}, Games: 8, Seed: 1, Opening: 1,
		Elsewhere: trainer,
	})
	stop()
	<-worked
	fmt.Println(report.Games, "games, lost by the first player:", report.Players[0].Losses, err)
	// Output: 8 games, lost by the first player: 0 <nil>
}
