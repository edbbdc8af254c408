package recipe

import (
	"errors"
	"fmt"

	"tiro/env"
	"tiro/internal/faults"
	"tiro/rundir"
	"tiro/selfplay"
)

// GivenGames describe imported games, from which a run learns in one generation instead of
// playing. Only tiro fork --games sets them.
type GivenGames struct {
	Generation int    `yaml:"generation"` // generation that learns from them; 0 if there are none
	Games      int    `yaml:"games"`      // number of games
	File       string `yaml:"file"`       // name of the file that they come from
	Sum        string `yaml:"sum"`        // checksum, like games_sum in metrics.jsonl
}

// In reports whether a generation learns from the games.
func (g GivenGames) In(generation int) bool { return g.Generation > 0 && g.Generation == generation }

func (g GivenGames) validate() error {
	var f faults.List
	if g != (GivenGames{}) {
		faults.Within(&f, "generation", g.Generation, 1, maxGenerations)
		faults.Within(&f, "games", g.Games, 1, maxGames)
		f.Check(len(g.Sum) == 16, "sum", fmt.Sprintf("%.40q", g.Sum), "16 digits; only tiro fork --games sets it")
	}
	return f.Err()
}

// Given are imported games for a new run.
type Given struct {
	File     string // name of the file that they come from
	Episodes []selfplay.Episode
}

// configure sets Config.GivenGames for a run of game that learns from the games in a
// generation. It does nothing if g is nil.
func (g *Given) configure(c *Config, game env.Game, generation int) error {
	if g == nil {
		return nil
	}
	if options := c.Selfplay.GameOptions(generation); options != "" {
		return fmt.Errorf("given games: selfplay.game_schedule plays generation %d with the options %q; begin it later", generation, options)
	}
	for i := range g.Episodes {
		if name := g.Episodes[i].Rules.Spec().Name; name != game.Spec().Name {
			return fmt.Errorf("given games: games of %s, not of %s", name, game.Spec().Name)
		}
	}
	if len(g.Episodes) == 0 {
		return errors.New("given games: there are no games to learn from")
	}
	sum, err := selfplay.Sum(g.Episodes)
	c.GivenGames = GivenGames{Generation: generation, Games: len(g.Episodes), File: g.File, Sum: sum}
	return err
}

// write writes the games as the episode file of their generation. It does nothing if g is nil.
func (g *Given) write(l *rundir.Locked, c *Config, game env.Game) error {
	if g == nil {
		return nil
	}
	return l.WriteEpisodes(selfplay.NewHeader(game.Spec(), c.Seed, c.GivenGames.Generation, selfplay.ByOthers), g.Episodes)
}
