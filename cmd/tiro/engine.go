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
		Long: `Engine speaks the Universal Game Interface, UCI made neutral, on standard input
and output: ugi, isready, uginewgame, position startpos|fen POS [moves …],
go nodes N|movetime MS, stop, quit. Moves are written in the game's notation,
those of the Pacru series as complete turns. Positions are judged, eight at a
time (option Parallel), by the bundled model for GAME or that of --model;
without either, one by one by random playouts. The name it gives (id name) says
which. A go without a limit takes --sims simulations.`,
		Example:           `  printf 'ugi\nposition startpos\ngo nodes 800\n' | tiro engine coerceo`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := newGame(args[0])
			if err != nil {
				return err
			}
			thinker, err := o.thinker(game)
			if err != nil {
				return err
			}
			search, evaluator := o.search(game, thinker)
			e := play.Engine{
				Game: game, Name: "Tiro " + build() + ", " + thinker.about, Author: "The Tiro developers",
				Search: search, Evaluator: evaluator, Seed: o.seed, Now: time.Now,
			}
			return e.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	return cmd
}

// leavesAtOnce is how many positions of one search the engine has a network
// judge at a time, whatever the number of cores. At coerceo 800 simulations by
// the default network take 82 ms one by one, 38 ms by eight, 35 ms if two cores
// share them. By eight, 100 simulations score 40% against 100 one by one (300
// games), but 250, which take about as long, score 65% (100 games).
const leavesAtOnce = 8

// search returns how the engine searches and what it judges positions with.
func (o *engineOptions) search(game env.Game, t thinker) (mcts.Config, mcts.Evaluator) {
	if t.model == nil {
		c := arena.RolloutConfig()
		c.Simulations = o.sims
		return c, mcts.NewRollout(game, env.NewRand(o.seed))
	}
	c := arena.NetworkConfig(o.sims)
	c.ParallelLeaves = leavesAtOnce
	return c, o.computing().evaluators(game, t.model)()
}
