package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/play"
)

// engineOptions are the flags that say who answers in tiro play and engine.
type engineOptions struct {
	model   string
	sims    int
	seed    uint64
	threads int
	backend kernel.Backend
}

// flags adds the flags to cmd.
func (o *engineOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.model, "model", "", "run folder, checkpoint, weights file or bundled (default bundled, if it has a model for GAME)")
	cmd.Flags().IntVar(&o.sims, "sims", playSimulations, "simulations a move")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "of everything random")
	cmd.Flags().IntVar(&o.threads, "threads", 0, "cores that judge positions by a network, 0 for all; they change nothing but the time")
	backendVar(cmd, &o.backend)
}

// computing returns how the flags have networks computed.
func (o *engineOptions) computing() computing {
	c := computing{o.backend, o.threads}
	if c.threads == 0 {
		c.threads = runtime.NumCPU()
	}
	return c
}

// thinker is what judges positions in tiro play and engine.
type thinker struct {
	name  string     // of the players that think by it
	about string     // which it is, in words
	model *net.Model // nil for random playouts
}

// thinker returns what the flags name; if they name nothing, the bundled
// model, or random playouts where there is none.
func (o *engineOptions) thinker(game env.Game) (thinker, error) {
	switch {
	case o.sims < 1 || o.sims > arena.MaxSimulations:
		return thinker{}, usage(fmt.Errorf("--sims %d; want 1 to %d", o.sims, arena.MaxSimulations))
	case o.threads < 0 || o.threads > maxThreads:
		return thinker{}, usage(fmt.Errorf("--threads %d; want 0 to %d", o.threads, maxThreads))
	}
	name := cmp.Or(o.model, bundledName)
	n, err := openFor(game, name)
	if o.model == "" && errors.Is(err, bundled.ErrNone) {
		return thinker{about: "random playouts (no bundled model)"}, nil
	}
	if err != nil {
		return thinker{}, err
	}
	return thinker{"net:" + name, n.String(), net.Compile(o.backend, n.weights)}, nil
}

// maker returns the maker of the players that think by t.
func (o *engineOptions) maker(game env.Game, t thinker) arena.PlayerFactory {
	if t.model == nil {
		return arena.Rollouts(game, o.sims)
	}
	return o.computing().player(game, t.model, t.name, o.sims)
}

func playCommand() *cobra.Command {
	var o engineOptions
	var seats, start string
	cmd := &cobra.Command{
		Use:   "play GAME",
		Short: "Play against the engine in the terminal",
		Long: `Play draws the board and takes moves in the game's notation. Type help there for
moves, hint, undo, resign, draw and the rest. Where a turn is several moves
you may also type all of it. Any number of people and engines sit at one board.
The engine is the bundled model for GAME (tiro models lists them), or that of
--model; without either it judges positions by random playouts.`,
		Example: `  tiro play coerceo
  tiro play coerceo --model runs/coerceo
  tiro play coerceo --seats engine,human --sims 1000
  tiro play pacru:players=3 --seats human,human,mcts:200
  tiro play coerceo --seats net:runs/old,sims=64,human`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := newGame(args[0])
			if err != nil {
				return err
			}
			if _, err := position(game, start); err != nil {
				return err
			}
			t := play.Terminal{Game: game, Seed: o.seed, Position: start, Colour: colour(cmd.OutOrStdout())}
			thinker, err := o.thinker(game)
			if err != nil {
				return err
			}
			engine := o.maker(game, thinker)
			if t.Analyst, err = engine(); err != nil {
				return err
			}
			if t.Seats, err = seat(game, o.computing(), splitSeats(seats), engine); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "engine: %s, %d simulations a move\n", thinker.about, o.sims)
			return t.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&seats, "seats", "", "who sits where, `WHO,WHO`: human, engine, or a player as for match (default human, then engine)")
	cmd.Flags().StringVar(&start, "position", "", "position string to start from")
	return cmd
}

// splitSeats splits "WHO,WHO": at commas, but what begins like "sims=" belongs
// to the player before it.
func splitSeats(text string) (names []string) {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if key, _, ok := strings.Cut(part, "="); ok && len(names) > 0 && !strings.Contains(key, ":") {
			names[len(names)-1] += "," + part
		} else {
			names = append(names, part)
		}
	}
	return names
}

// seat makes the players of a table, nil for a person.
func seat(game env.Game, c computing, names []string, engine arena.PlayerFactory) ([]arena.Player, error) {
	seats := game.Spec().Players
	if len(names) == 0 {
		names = append([]string{"human"}, strings.Split(strings.Repeat("engine ", seats-1), " ")[:seats-1]...)
	}
	if len(names) != seats {
		return nil, usage(fmt.Errorf("--seats names %d players; %s has %d seats", len(names), game.Spec().Name, seats))
	}
	players := make([]arena.Player, seats)
	for i, name := range names {
		maker := engine
		if name == "human" {
			continue
		}
		if name != "engine" {
			var err error
			if maker, err = parsePlayer(game, c, name); err != nil {
				return nil, err
			}
		}
		var err error
		if players[i], err = maker(); err != nil {
			return nil, err
		}
	}
	return players, nil
}
