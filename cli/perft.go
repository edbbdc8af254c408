package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/env/perft"
	"tiro/play"
)

// perftOptions are the flags of tiro perft.
type perftOptions struct {
	depth    int
	position string
	divide   bool
	threads  int
}

func perftCommand(games catalog) *cobra.Command {
	var o perftOptions
	cmd := &cobra.Command{
		Use:   "perft GAME --depth D",
		Short: "Count the sequences of turns from a position",
		Long: `Perft counts the legal sequences of D turns from the start or another position, the usual
test of a move generator. A turn is everything that a player does before another player
moves. For Coerceo, perft ignores draws. In Shacru, Azacru and Pacru turns that lead to
the same position count once. In Othello a pass is a turn, and games that end earlier
count. The last line of the output is "perft D = N".`,
		Example: `  tiro perft coerceo --depth 5
  tiro perft coerceo:price=1 --depth 3 --position 'POS' --divide
  tiro perft pacru:players=3 --depth 4 --threads 2`,
	}
	intVar(cmd, &o.depth, "depth", 0, 0, 100, "turns to look ahead")
	cmd.Flags().StringVar(&o.position, "position", "", "start from `POSITION`, in the game's notation")
	cmd.Flags().BoolVar(&o.divide, "divide", false, "count for each first turn too")
	intVar(cmd, &o.threads, "threads", 1, 1, maxThreads, "number of first turns counted in parallel")
	cmd.Flags().Lookup("depth").Shorthand = "d"
	return required(games.forGame(cmd, o.run), "depth")
}

func (o *perftOptions) run(cmd *cobra.Command, game env.Game, _ []string) error {
	state, err := play.PositionAfter(game, o.position, nil)
	if err != nil {
		return usage(fmt.Errorf("--position: %w", err))
	}
	begun := time.Now()
	total, firsts, err := perft.Count(cmd.Context(), perft.Of(game, state), o.depth, o.threads)
	if err != nil {
		return err
	}
	took := time.Since(begun).Seconds()
	out := cmd.OutOrStdout()
	if o.divide {
		for _, f := range firsts {
			fmt.Fprintf(out, "%s %d\n", f.Move, f.Sequences)
		}
	}
	fmt.Fprintf(out, "%.3f s, %.1f million positions/s\n", took, float64(total)/max(took, 1e-9)/1e6)
	fmt.Fprintf(out, "perft %d = %d\n", o.depth, total)
	return nil
}
