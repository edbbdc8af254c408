package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tiro/env"
)

func rulesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rules GAME",
		Short: "Explain the rules of a game and how to type its moves",
		Long: `Rules explains a game, with the options of the game string, to people who have
never seen it: the board, the moves and how to type them, and the end.`,
		Example: `  tiro rules coerceo
  tiro rules pacru:players=3 | less`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := newGame(args[0])
			if err != nil {
				return err
			}
			explainer, ok := game.(env.Explainer)
			if !ok {
				return fmt.Errorf("%s does not explain its rules", game.Spec().Name)
			}
			fmt.Fprint(cmd.OutOrStdout(), explainer.Rules().Format(columns(cmd.OutOrStdout())))
			return nil
		},
	}
}

// columns returns the width of the terminal that w is, or env.RulesWidth if it is none.
func columns(w any) int {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return env.RulesWidth
}
