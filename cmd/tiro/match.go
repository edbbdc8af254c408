package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tiro/arena"
)

// matchOptions are the flags of tiro match.
type matchOptions struct {
	a, b    string
	games   int
	seed    uint64
	workers int
	opening int
	json    string
}

func matchCommand() *cobra.Command {
	var o matchOptions
	cmd := &cobra.Command{
		Use:   "match GAME --a PLAYER --b PLAYER",
		Short: "Let two players meet and say who is stronger",
		Long: `Match plays games between A and B and prints A's results, with a 95% interval of
the Elo difference. Each opening, a few random actions, is played from every
seat. The same seed gives the same games, for any number of workers.

Players:
  random                     any legal action
  greedy                     the best position one action ahead, by the game's score
  alphabeta:DEPTH            looks DEPTH actions ahead, by the game's score
  mcts:SIMULATIONS           searches with random playouts
  net:RUN_OR_FILE[,sims=N]   searches with a network, N simulations a move (64)`,
		Example: `  tiro match coerceo --a net:runs/coerceo --b random --games 100
  tiro match coerceo --a net:runs/coerceo/checkpoints/000040 --b net:runs/coerceo/checkpoints/000000
  tiro match connect4 --a mcts:400 --b alphabeta:4 --games 50 --json result.json`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMatch(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.a, "a", "", "first player")
	f.StringVar(&o.b, "b", "", "second player")
	f.IntVar(&o.games, "games", 100, "games to play, a multiple of the number of seats")
	f.Uint64Var(&o.seed, "seed", 1, "of everything random")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "games at a time")
	f.IntVar(&o.opening, "opening", 4, "random actions at the start of each game")
	f.StringVar(&o.json, "json", "", "write the report with all games to this file")
	return cmd
}

func runMatch(cmd *cobra.Command, name string, o matchOptions) error {
	if o.a == "" || o.b == "" {
		return usage(errors.New("--a and --b name the players; both are needed"))
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	m := arena.Match{Game: game, Games: o.games, Seed: o.seed, Workers: o.workers, Opening: o.opening}
	if m.A, err = parsePlayer(game, o.a); err != nil {
		return err
	}
	if m.B, err = parsePlayer(game, o.b); err != nil {
		return err
	}
	if err := m.Validate(); err != nil {
		return usage(err)
	}
	if o.json != "" {
		if err := checkTarget(o.json); err != nil {
			return err
		}
	}
	meter := newMeter(cmd.ErrOrStderr())
	meter.begin("match", "games", o.games)
	m.Progress = func(p arena.Progress) {
		meter.set(p.Done, fmt.Sprintf("(+%d =%d -%d)", p.A.Won, p.A.Drawn, p.A.Lost))
	}
	report, err := arena.Play(cmd.Context(), m)
	meter.end()
	if report.Games > 0 {
		fmt.Fprint(cmd.OutOrStdout(), report)
	}
	if o.json == "" || report.Games == 0 {
		return err
	}
	saved := saveFile(o.json, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	})
	return errors.Join(err, saved)
}
