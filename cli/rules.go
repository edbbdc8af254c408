package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tiro/env"
)

func rulesCommand(games catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "rules GAME",
		Short: "Explain the rules of a game and how to type its moves",
		Long: `Rules explains a game and its options to beginners: the board, the moves, how to type them,
and how the game ends.`,
		Example: `  tiro rules coerceo
  tiro rules pacru:players=3 | less`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.newGame(args[0])
			if err != nil {
				return err
			}
			explainer, ok := game.(env.Explainer)
			if !ok {
				return fmt.Errorf("%s has no text of its rules", game.Spec().Name)
			}
			fmt.Fprint(cmd.OutOrStdout(), explainer.Rules().Format(columns(cmd.OutOrStdout(), env.RulesWidth)))
			return nil
		},
	}
}
