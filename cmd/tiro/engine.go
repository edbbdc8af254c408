package main

import (
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
		Long: `Engine speaks the Universal Game Interface, a game-neutral UCI, on standard input
and output: ugi, isready, setoption, uginewgame, position startpos|fen POS
[moves …], go nodes N|movetime MS|infinite|p1time MS …, stop, query, quit;
docs/PROTOCOL.md describes all of it. Moves are written in the game's notation, those
of the Pacru series as complete turns. Positions are evaluated by
the bundled model for GAME or that of --model; without either, by random playouts.
The engine's name (id name) says by which. A go without limits searches --sims
simulations.

By nodes, the engine searches like tiro play, matches and cards, one position at a
time. By time it evaluates several positions at a time (option Parallel), which is
faster. A command after go waits for that search, except stop and quit, which end
it.`,
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
			if model.model != nil {
				c := o.computing(nil)
				e.Parallel, e.Threads, e.Draw = play.DefaultParallel, c.threads, drawsOf(game, model.model)
				e.WithThreads = func(threads int) mcts.Evaluator {
					return computing{c.backend, threads, nil}.evaluators(game, model.model)()
				}
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
	return arena.NetworkConfig(o.sims), o.computing(nil).evaluators(game, m.model)()
}

// drawsOf returns what tells the probability, by the network alone, that a game is drawn.
// It is for one goroutine.
func drawsOf(game env.Game, model *net.Model) func(env.State) float64 {
	plan := model.NewPlan(1)
	return func(s env.State) float64 {
		seen, err := see(game.Spec(), s, plan)
		if err != nil || seen.Answer == nil {
			return 0
		}
		return float64(seen.Outcome[len(seen.Outcome)-1])
	}
}

// player returns the factory of the engine's players in tiro play.
func (o *engineOptions) player(game env.Game, m engineModel) arena.PlayerFactory {
	return func() (arena.Player, error) {
		search, evaluator := o.search(game, m)
		return play.NewPlayer(m.name, game, search, evaluator)
	}
}
