package study_test

import (
	"context"
	"fmt"
	"os"

	"tiro/env"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/study"
)

// tiny returns tic-tac-toe with a configuration that trains in an instant.
func tiny() (env.Game, recipe.Config, error) {
	game, err := games.New("mnk")
	if err != nil {
		return nil, recipe.Config{}, err
	}
	c := recipe.Default("mnk")
	c.GamesPerGeneration = 4
	c.Net.Channels, c.Net.Blocks, c.Net.Hidden = 4, 1, 0
	c.Selfplay.Search.Simulations = 4
	return game, c, nil
}

// Compare a higher learning rate with the default. (Two seeds and one generation are not
// enough for a conclusion.)
func ExampleAblate() {
	dir, err := os.MkdirTemp("", "ablation")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, base, err := tiny()
	if err != nil {
		fmt.Println(err)
		return
	}
	fast := base
	fast.Learner.LearningRate = 5e-3
	report, err := study.Ablate(context.Background(), study.Ablation{
		Comparison: study.Comparison{
			Dir: dir, Seeds: 2, Backend: kernel.Best(), Tiro: "example",
			Variants: []study.Variant{{Name: "base", Config: base}, {Name: "fast", Config: fast}},
		},
		Game: game, Generations: 1, Workers: 1, Games: 4, Simulations: 2, Opening: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range report.Trials {
		fmt.Println(t.Name, "seed", t.Seed, "generations", t.Generations, "games", t.Games)
	}
	elo := report.Measures[0]
	fmt.Println(elo.Name, "by seed:", len(elo.Variants[1].Values), "known with", elo.Freedom, "degrees of freedom")
	// Output:
	// base seed 1 generations 1 games 4
	// base seed 2 generations 1 games 4
	// fast seed 1 generations 1 games 4
	// fast seed 2 generations 1 games 4
	// Elo by seed: 2 known with 2 degrees of freedom
}
