package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/models/bundled"
	"tiro/net"
	"tiro/networks"
	"tiro/play"
	"tiro/play/tty"
	"tiro/player"
)

// engineOptions are the flags of tiro play and engine that define the engine.
type engineOptions struct {
	catalog
	model   string
	sims    int
	level   int // 0: full strength
	seed    uint64
	backend net.Backend
}

// flags adds the flags to cmd.
func (o *engineOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", modelHelp+" (default bundled, if it has a model for GAME)")
	simsVar(cmd, &o.sims, player.PlaySimulations, 1, "simulations per move")
	f.IntVar(&o.level, "level", 0, "strength from 1, each level about 150 Elo above the previous one; 0 for full strength")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	backendVar(cmd, &o.backend)
	cmd.MarkFlagsMutuallyExclusive("level", "sims")
}

// players returns the opener of the players; see catalog.opener.
func (o *engineOptions) players(notes io.Writer) opener {
	return o.opener(o.backend, runtime.GOMAXPROCS(0), notes)
}

// engineModel is the evaluator of the engine: a network, or random playouts.
type engineModel struct {
	name  string      // name of its players
	about string      // description, to be printed
	model net.Network // nil for random playouts
}

// open returns the model of --model. The default is the bundled model, or random playouts if
// the game has none.
func (o *engineOptions) open(game env.Game) (engineModel, error) {
	name := cmp.Or(o.model, networks.Bundled)
	n, model, err := o.players(nil).Model(game, name)
	if o.model == "" && errors.Is(err, bundled.ErrNone) {
		return engineModel{name: fmt.Sprintf("mcts:%d", o.sims), about: "random playouts (no bundled model)"}, nil
	}
	if err != nil {
		return engineModel{}, err
	}
	return engineModel{"net:" + name, n.String(), model}, nil
}

// strength returns the level of --level, nil for full strength.
func (o *engineOptions) strength(game env.Game, m engineModel) (*player.Level, error) {
	if o.level == 0 {
		return nil, nil
	}
	if err := unless(m.model != nil, "--level requires --model, because there is no bundled model for %s", game.Spec().Name); err != nil {
		return nil, err
	}
	l, err := player.LevelOf(game.Spec().Name, o.level)
	if err != nil {
		return nil, usage(fmt.Errorf("--level: %w", err))
	}
	return &l, nil
}

func playCommand(games catalog) *cobra.Command {
	o := engineOptions{catalog: games}
	var seats, start, load string
	cmd := &cobra.Command{
		Use:   "play GAME",
		Short: "Play against the engine in the terminal",
		Long: `Play draws the board and reads moves in the game's notation. Type help for the rules, the
legal moves, hints, undo, save, load and the other commands. Turns of several moves can be
typed at once or one by one. Each seat can be taken by a human or an engine.

The engine uses the bundled model for GAME (tiro models lists them) or --model; without
either it searches with random playouts. --level N makes it weaker: each level is about 150
Elo above the previous one (docs/RATINGS.md). Hints always use full strength.

In a terminal, the arrow keys recall earlier lines. Ctrl-C ends the engine's search, and it
moves at once. A game that you leave is saved; to resume it, type load before your
first move.`,
		Example: `  tiro play coerceo
  tiro play coerceo --model runs/coerceo
  tiro play coerceo --level 3
  tiro play coerceo --seats engine,human --sims 1000
  tiro play pacru:players=3 --seats human,human,mcts:200
  tiro play coerceo --seats net:runs/old,sims=64,human`,
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&seats, "seats", "", "give the seats to `PLAYER,PLAYER`: human, engine, or a player of tiro match (default human, then engine)")
	cmd.Flags().StringVar(&start, "position", "", "start from `POSITION`, in the game's notation")
	cmd.Flags().StringVar(&load, "load", "", "resume the game in this `FILE`, written by the command save")
	cmd.MarkFlagsMutuallyExclusive("position", "load")
	return games.forGame(cmd, func(cmd *cobra.Command, game env.Game, _ []string) (fault error) {
		if _, err := play.PositionAfter(game, start, nil); err != nil {
			return usage(fmt.Errorf("--position: %w", err))
		}
		names, err := play.ParseSeats(game, seats)
		if err != nil {
			return usage(fmt.Errorf("--seats names %w", err))
		}
		if err := unless(o.level == 0 || slices.Contains(names, play.TheEngine), "--level requires a seat for the engine, as in --seats engine,human"); err != nil {
			return err
		}
		model, err := o.open(game)
		if err != nil {
			return err
		}
		t := play.Terminal{
			Game: game, Seed: o.seed, Position: start, Load: load, Files: tty.Files{}, Colour: colour(cmd.OutOrStdout()),
		}
		if model.model != nil {
			t.Outcome = net.Outcomes(model.model, game)
		}
		strength, err := o.strength(game, model)
		if err != nil {
			return err
		}
		if t.Analyst, err = o.player(game, model, nil).New(); err != nil {
			return err
		}
		engine := o.player(game, model, strength)
		t.Seats, err = seatPlayers(game, o.players(cmd.ErrOrStderr()), names, engine)
		defer func() {
			for _, p := range t.Seats {
				fault = errors.Join(fault, player.Close(p))
			}
		}()
		if err != nil {
			return err
		}
		how := fmt.Sprintf("%d simulations per move", o.sims)
		if strength != nil {
			how = fmt.Sprintf("level %d", o.level)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "engine: %s, %s\n", model.about, how)
		ctx := cmd.Context()
		if in, out := terminalOf(cmd.InOrStdin()), terminalOf(cmd.OutOrStdout()); in != nil && out != nil {
			var done func()
			ctx, done = withoutInterrupt(ctx)
			defer done()
			defer tty.Seat(&t, in, out)()
		}
		return t.Run(ctx, cmd.InOrStdin(), cmd.OutOrStdout())
	})
}

// seatPlayers returns the players with the given names, nil for a human. The caller must close
// them, even after an error.
func seatPlayers(game env.Game, c opener, names []string, engine player.Factory) ([]player.Player, error) {
	players := make([]player.Player, len(names))
	for i, name := range names {
		factory := engine
		var err error
		switch name {
		case play.Human:
			continue
		case play.TheEngine:
		default:
			factory, err = c.factory(game, name)
		}
		if errors.Is(err, player.ErrUnknown) {
			err = fmt.Errorf("%w, or %s or %s", err, play.Human, play.TheEngine)
		}
		if err == nil {
			players[i], err = factory.New()
		}
		if err != nil {
			return players, err
		}
	}
	return players, nil
}
