package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/play"
	"tiro/player"
)

func engineCommand(games catalog) *cobra.Command {
	o := engineOptions{catalog: games}
	var protocol string
	cmd := &cobra.Command{
		Use:   "engine GAME",
		Short: "Answer another program through UGI or GTP",
		Long: `Engine speaks the Universal Game Interface, a game-neutral UCI, on standard input and
output, and UCI's commands where they differ: ugi or uci, isready, setoption, uginewgame,
position startpos|fen POS [moves …], go nodes N|depth N|movetime MS|infinite|p1time MS …,
ponderhit, stop, query, quit. docs/PROTOCOL.md describes it. Moves use the game's notation;
in the Pacru series a move is a complete turn.

With --protocol gtp it speaks the Go Text Protocol instead, for Go and Othello: the commands
that Sabaki, Lizzie, GoGui and gtp2ogs use, with analyses (lz-analyze, kata-analyze),
handicap, SGF and the time systems of KGS.

Positions are evaluated by the bundled model for GAME or by --model, otherwise by random
playouts; the engine's name shows which. A go without limits, and a genmove without time
settings, search --sims simulations. --level N, or the option Level, makes the engine
weaker, under any limits.

With go nodes the engine evaluates one position at a time, as in matches. With limits of
time it evaluates several at once (option Parallel), which is faster. During a search,
uginewgame, setoption, position and go wait for its end, or end it if it has no limits;
stop and quit end any search.`,
		Example: `  printf 'ugi\nposition startpos\ngo nodes 800\n' | tiro engine coerceo
  printf 'boardsize 9\ngenmove black\nshowboard\n' | tiro engine go --protocol gtp`,
	}
	cmd.Flags().StringVar(&protocol, "protocol", "ugi", "speak `PROTOCOL`: ugi, the Universal Game Interface, or gtp, the Go Text Protocol")
	o.flags(cmd)
	return games.forGame(cmd, func(cmd *cobra.Command, game env.Game, _ []string) error {
		e, err := o.engine(game)
		if err != nil {
			return err
		}
		switch protocol {
		case "ugi":
			return e.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		case "gtp":
			return e.RunGTP(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		}
		return usage(fmt.Errorf("--protocol %q must be ugi or gtp", protocol))
	})
}

// engine returns the engine for a game.
func (o *engineOptions) engine(game env.Game) (e play.Engine, err error) {
	model, err := o.open(game)
	if err != nil {
		return e, err
	}
	if _, err := o.strength(game, model); err != nil {
		return e, err
	}
	search, evaluator := o.search(game, model)
	e = play.Engine{
		Game: game, Name: "Tiro " + build() + ", " + model.about, Author: "The Tiro developers",
		Search: search, Evaluator: evaluator, Seed: o.seed, Now: time.Now,
		WithGame: func(name string) (play.Engine, error) {
			game, err := o.newGame(name)
			if err != nil {
				return play.Engine{}, err
			}
			return o.engine(game)
		},
		ReadFile: func(name string) ([]byte, error) { return readFile(name, maxStored) },
	}
	if model.model != nil {
		c := o.players(nil)
		scale, _, err := player.FindScale(game.Spec().Name)
		if err != nil {
			return e, err
		}
		e.Levels, e.Level = scale.Levels, o.level
		e.Parallel, e.Threads, e.Outcome = play.DefaultParallel, c.Threads, net.Outcomes(model.model, game)
		e.WithThreads = func(threads int) mcts.Evaluator {
			return o.opener(o.backend, threads, nil).Evaluators(game, model.model)()
		}
	}
	return e, nil
}

// search returns the configuration of the engine's search, and its evaluator.
func (o *engineOptions) search(game env.Game, m engineModel) (mcts.Config, mcts.Evaluator) {
	if m.model == nil {
		c := player.RolloutConfig()
		c.Simulations = o.sims
		return c, mcts.NewRollout(game, env.NewRand(o.seed))
	}
	return player.NetworkConfig(o.sims), o.players(nil).Evaluators(game, m.model)()
}

// player returns the factory of the engine's players in tiro play. They play at level l, or
// at full strength if l is nil.
func (o *engineOptions) player(game env.Game, m engineModel, l *player.Level) player.Factory {
	name := m.name
	if l != nil {
		name += fmt.Sprintf(",level=%d", o.level)
	}
	return player.Custom(name, func() (player.Player, error) {
		search, evaluator := o.search(game, m)
		if l != nil {
			search.Simulations = l.Simulations
		}
		p, err := play.NewPlayer(name, game, search, evaluator)
		if l != nil && err == nil {
			p.SetTemperature(l.Temperature)
		}
		return p, err
	})
}
