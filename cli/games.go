package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tiro/env"
)

func gamesCommand(games catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "games",
		Short: "List the games and their options",
		Long: `Games lists the games, their options with defaults and ranges, and the short names of
common variants. A game string is a game's name and the options that differ from their
defaults, such as mnk:m=15,n=15,k=5.`,
		Example: `  tiro perft coerceo:price=1 --depth 3
  tiro train mnk:m=5,n=5,k=4 --run runs/five`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, g := range games.Table {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", g.Name, g.Title)
				for _, o := range g.Options {
					help := fmt.Sprintf("%s (%s)", o.Help, o.Range())
					help = strings.ReplaceAll(env.Wrap(help, 80-helpColumn), "\n", "\n"+strings.Repeat(" ", helpColumn))
					fmt.Fprintf(cmd.OutOrStdout(), "  %-*s%s\n", helpColumn-2, o.Name+"="+o.Initial(), help)
				}
			}
			for _, a := range games.Aliases() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: short for %s\n", a.Name, a.Game)
			}
			return nil
		},
	}
}

// helpColumn is the column in which the explanations of options begin.
const helpColumn = 24

// catalog is the table of games. Its methods resolve names from the command line, and mark
// errors in them as usage errors.
type catalog struct{ env.Table }

// forGame makes run the work of cmd, whose first argument is a game string. It has no other
// arguments unless cmd.Args allows them. forGame returns cmd.
func (c catalog) forGame(cmd *cobra.Command, run func(cmd *cobra.Command, game env.Game, args []string) error) *cobra.Command {
	if cmd.Args == nil {
		cmd.Args = cobra.ExactArgs(1)
	}
	cmd.ValidArgsFunction = c.completeGame
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		game, err := c.newGame(args[0])
		if err != nil {
			return err
		}
		return run(cmd, game, args)
	}
	return cmd
}

// newGame returns the game of a game string.
func (c catalog) newGame(name string) (env.Game, error) {
	game, err := c.New(name)
	return game, usage(err)
}

// completeGame completes the names of games on the command line.
func (c catalog) completeGame(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Known(), cobra.ShellCompDirectiveNoFileComp
}
