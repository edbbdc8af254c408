package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tiro/env"
)

func rulesCommand(games catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules GAME",
		Short: "Explain the rules of a game and how to type its moves",
		Long: `Rules explains a game and its options to beginners: the board, the moves, how to type them,
and how the game ends.`,
		Example: `  tiro rules coerceo
  tiro rules pacru:players=3 | less`,
	}
	return games.forGame(cmd, func(cmd *cobra.Command, game env.Game, _ []string) error {
		explainer, ok := game.(env.Explainer)
		if !ok {
			return fmt.Errorf("%s has no text of its rules", game.Spec().Name)
		}
		columns, _ := size(cmd.OutOrStdout(), env.RulesWidth)
		fmt.Fprint(cmd.OutOrStdout(), explainer.Rules().Format(columns))
		return nil
	})
}
