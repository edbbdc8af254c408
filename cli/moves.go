package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/play"
)

// movesOptions are the flags of tiro moves.
type movesOptions struct {
	catalog
	planes bool
	model  string
}

func movesCommand(games catalog) *cobra.Command {
	o := movesOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "moves GAME",
		Short: "Print the legal moves of positions and the positions after them",
		Long: `Moves reads positions from standard input, one a line, and prints a JSON object for each:
the position, the result ("*" if the game is not over), and every legal move with the
position after it. For Coerceo it adds captured pieces and tiles; for Shacru, Azacru and
Pacru it lists complete turns; turns on the spot are only counted ("spot_turns").

--planes prints the network's observation and the numbers of the legal actions instead, and
with --model the network's answer without a search. docs/FORMATS.md describes the fields.

A line may also be JSON with the moves that led to the position, so that clocks and
repetitions count: {"moves":["4","4"]}, optionally with the "position" where they begin. A
faulty line is answered by {"pos":…,"error":…}, and the exit code is then 1.`,
		Example: `  echo '14.12.0a.24.14.0a.09.28.28.00.05.05.09.11.22.24.11.12.22 w 0 0' | tiro moves coerceo
  tiro moves coerceo:price=1 < positions.txt
  echo '..o/.x./...' | tiro moves tictactoe --planes --model runs/tictactoe`,
	}
	cmd.Flags().BoolVar(&o.planes, "planes", false, "print observation planes and action numbers")
	cmd.Flags().StringVar(&o.model, "model", "", modelHelp+"; --planes prints its answers")
	return games.forGame(cmd, o.run)
}

func (o *movesOptions) run(cmd *cobra.Command, game env.Game, _ []string) error {
	if err := unless(o.planes || o.model == "", "--model requires --planes"); err != nil {
		return err
	}
	describe := func(s env.State) (any, error) { return play.PositionRecord(game, s), nil }
	if o.planes {
		var model net.Network
		if o.model != "" {
			var err error
			if _, model, err = o.opener(kernel.Best(), 1, cmd.ErrOrStderr()).Model(game, o.model); err != nil {
				return err
			}
		}
		look := net.Look(game, model)
		describe = func(s env.State) (any, error) { return look(s) }
	}
	bad, lines, err := play.Positions(cmd.Context(), game, cmd.InOrStdin(), cmd.OutOrStdout(), describe)
	if err == nil && bad > 0 {
		err = fmt.Errorf("%d of %d lines were not positions; see their \"error\"", bad, lines)
	}
	return err
}
