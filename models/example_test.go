package models_test

import (
	"fmt"
	"os"
	"path/filepath"

	"tiro/disk"
	"tiro/models"
)

// A checkpoint is saved, and its network is opened again.
func ExampleOpen() {
	game, err := find("mnk:m=3,n=3,k=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(run)
	store := models.NewStore(disk.OS{}, filepath.Join(run, "checkpoints"), game.Spec())
	if err := store.Save(checkpoint(game.Spec(), 12)); err != nil {
		fmt.Println(err)
		return
	}
	weights, info, err := models.Open(disk.OS{}, store.Dir(12), find)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Game, "generation", info.Generation, "with", weights.Parameters(), "numbers")
	// Output:
	// mnk generation 12 with 664 numbers
}
