package main

import (
	"time"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/play"
)

func engineCommand() *cobra.Command {
	var o engineOptions
	cmd := &cobra.Command{
		Use:   "engine GAME",
		Short: "Answer another program's commands (UGI)",
		Long: `Engine speaks the Universal Game Interface, a game-neutral UCI, on standard input
and output: ugi, isready, uginewgame, position startpos|fen POS [moves …],
go nodes N|movetime MS, stop, quit. Moves are written in the game's notation,
those of the Pacru series as complete turns. Positions are evaluated, eight at a
time (option Parallel), by the bundled model for GAME or that of --model; without
either, one at a time by random playouts. The engine's name (id name) says by
which. A go without limits searches --sims simulations.

The engine searches with PUCT at the root, so that it can be stopped at any time.
Matches and cards rate another search: a Gumbel root, one position at a time.`,
		Example:           `  printf 'ugi\nposition startpos\ngo nodes 800\n' | tiro engine coerceo`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := newGame(args[0])
			if err != nil {
				return err
			}
			model, err := o.open(game)
			if err != nil {
				return err
			}
			search, evaluator := o.search(game, model)
			e := play.Engine{
				Game: game, Name: "Tiro " + build() + ", " + model.about, Author: "The Tiro developers",
				Search: search, Evaluator: evaluator, Seed: o.seed, Now: time.Now,
			}
			return e.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	return cmd
}

// search returns how the engine searches, and what evaluates its positions.
func (o *engineOptions) search(game env.Game, m engineModel) (mcts.Config, mcts.Evaluator) {
	if m.model == nil {
		c := arena.RolloutConfig()
		c.Simulations = o.sims
		return c, mcts.NewRollout(game, env.NewRand(o.seed))
	}
	c := arena.NetworkConfig(o.sims)
	c.ParallelLeaves = play.DefaultParallelLeaves
	return c, o.computing().evaluators(game, m.model)()
}
