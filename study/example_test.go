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

// What is a higher learning rate worth? (Two seeds and one generation do not
// tell.)
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
		Dir: dir, Game: game, Seeds: 2, Generations: 1,
		Variants: []study.Variant{{Name: "base", Config: base}, {Name: "fast", Config: fast}},
		Workers:  1, Backend: kernel.Best(), Games: 4, Simulations: 2, Opening: 2, Tiro: "example",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range report.Trainings {
		fmt.Println(t.Name, "seed", t.Seed, "generations", t.Generations, "games", t.Games)
	}
	for _, c := range report.Comparisons {
		fmt.Println(c.Variant, "matches", len(c.Matches), "equal score", c.EqualScore)
	}
	// Output:
	// base seed 1 generations 1 games 4
	// base seed 2 generations 1 games 4
	// fast seed 1 generations 1 games 4
	// fast seed 2 generations 1 games 4
	// fast matches 4 equal score 0.5
}
