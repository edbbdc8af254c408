package study_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tiro/env"
	"tiro/env/games"
	"tiro/net/kernel"
	"tiro/recipe"
	"tiro/study"
	"tiro/train"
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
		Workers:  1, Backend: kernel.Best(), Games: 4, Simulations: 2, Opening: 2, Tiro: "example", Clock: time.Now,
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

// A card of a network that has just been trained.
func ExampleRate() {
	dir, err := os.MkdirTemp("", "rating")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	game, config, err := tiny()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = train.Run(context.Background(), train.Options{
		Dir: filepath.Join(dir, "run"), Game: game, Config: config, Workers: 1, Backend: kernel.Best(),
		Generations: 1, Version: "example", Clock: time.Now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	run, err := study.Open(filepath.Join(dir, "run"), games.New)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := study.DefaultRating()
	r.Out, r.Tiro, r.Machine = filepath.Join(dir, "card"), "example", "a machine"
	r.Games, r.Simulations, r.Points = 4, 2, 0
	if r.Anchors, err = study.ParsePlayers(game, []string{"random", "mcts:2"}); err != nil {
		fmt.Println(err)
		return
	}
	c, err := study.Rate(context.Background(), run, r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Game, "generation", c.Generation, "trained by", c.Trained.Tiro)
	for _, r := range c.Ratings {
		fmt.Println("against", r.Opponent, "games", r.Games)
	}
	// Output:
	// mnk generation 1 trained by example
	// against random games 4
	// against mcts:2 games 4
}
