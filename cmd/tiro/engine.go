package main

import (
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
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
those of the Pacru series as complete turns. Without --model it judges positions
by random playouts. A go without a limit takes --sims simulations.`,
		Example:           `  printf 'ugi\nposition startpos\ngo nodes 800\nquit\n' | tiro engine coerceo --model runs/coerceo`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := newGame(args[0])
			if err != nil {
				return err
			}
			search, evaluator, err := o.search(game)
			if err != nil {
				return err
			}
			e := play.Engine{
				Game: game, Name: "Tiro " + build(), Author: "The Tiro developers",
				Search: search, Evaluator: evaluator, Seed: o.seed, Now: time.Now,
			}
			return e.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	return cmd
}

// search returns how the engine searches and what it judges positions with.
func (o *engineOptions) search(game env.Game) (c mcts.Config, e mcts.Evaluator, err error) {
	model, err := o.network(game)
	if err != nil {
		return c, nil, err
	}
	if model == nil {
		c, e = arena.RolloutConfig(), mcts.NewRollout(game, env.NewRand(o.seed))
	} else {
		c, e = modelConfig(), net.NewTeam(game, model, runtime.NumCPU(), maxRows)
	}
	c.Simulations = o.sims
	return c, e, nil
}
