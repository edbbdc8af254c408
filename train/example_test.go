package train_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"tiro/configs"
	"tiro/disk"
	"tiro/models"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// Tic-tac-toe is trained to generation 1, and the same call continues to 2.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, err := findGame("mnk:m=3,n=3,k=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := recipe.Default("mnk:m=3,n=3,k=3")
	for _, assignment := range []string{"games_per_generation=20", "net.channels=8", "net.blocks=1", "learner.batch_size=32"} {
		if err := configs.Set(&c, assignment); err != nil {
			fmt.Println(err)
			return
		}
	}
	o := train.Options{Dir: dir, Game: game, Config: c, Workers: 2, Backend: kernel.Best()}
	for o.Generations = 1; o.Generations <= 2; o.Generations++ {
		if err := train.Run(context.Background(), o); err != nil {
			fmt.Println(err)
			return
		}
		weights, info, err := rundir.OpenNetwork(disk.OS{}, dir, findGame)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(info.Game, "generation", info.Generation, weights.Spec.Actions(), "actions")
	}
	generations, err := models.NewStore(disk.OS{}, filepath.Join(dir, "checkpoints"), game.Spec()).List()
	fmt.Println(generations, err)
	// Output:
	// mnk generation 1 9 actions
	// mnk generation 2 9 actions
	// [0 1 2] <nil>
}
