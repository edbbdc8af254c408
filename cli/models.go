package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/networks"
)

func modelsCommand(games catalog, fsys disk.FS) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "models [GAME] [--save FOLDER]",
		Short: "List the bundled models, or show the card of one",
		Long: `Models lists the models that are part of this program: the game, the number of games and
core-hours of training, and the rating with its 95% interval, in Elo above another player.
With GAME it prints the model's card: training, strength, and the limits of these figures.

--save writes the model's files to a folder: weights.safetensors, card.json and card.md. It
never overwrites a file with other contents, and completes the folder if interrupted.

tiro play and engine use the model for GAME by default. Elsewhere it is called bundled, as
in net:bundled or --model bundled; bundled:GAME is the model of another game string. Write
./bundled for a file named bundled.

A network also plays variants of its game with the same board, seats and actions, such as
other limits; the program then names the variant that it was trained for. A variant without
a model gets the model that differs in the fewest options.`,
		Example: `  tiro models
  tiro models coerceo
  tiro models coerceo --save coerceo
  tiro match coerceo --a net:bundled --b mcts:400`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && folder != "":
				return usage(errors.New("--save requires GAME"))
			case len(args) == 0:
				return listModels(cmd.OutOrStdout())
			}
			return runModel(games, fsys, cmd.OutOrStdout(), args[0], folder)
		},
	}
	cmd.Flags().StringVar(&folder, "save", "", "write the model's files to this `FOLDER`")
	return cmd
}

// runModel prints the card of the model for a game, or saves the model to folder unless that
// is "".
func runModel(games catalog, fsys disk.FS, out io.Writer, name, folder string) error {
	game, err := games.newGame(name)
	if err != nil {
		return err
	}
	m, err := networks.FindBundled(game)
	if err != nil {
		return err
	}
	if folder == "" {
		text, err := fs.ReadFile(m.Files, card.MarkdownFile)
		fmt.Fprintf(out, "%s", text)
		return err
	}
	if err := m.Save(fsys, folder, game.Spec()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s, generation %d\n", filepath.Join(folder, models.WeightsFile), m.Card.Game, m.Card.Generation)
	return nil
}

func listModels(out io.Writer) error {
	all, err := bundled.List()
	if err != nil {
		return err
	}
	width := len("game")
	for _, m := range all {
		width = max(width, len(m.Card.Game))
	}
	fmt.Fprintf(out, "%-*s  %10s %7s %10s  %s\n", width, "game", "generation", "games", "core-hours", "Elo (95% interval)")
	for _, m := range all {
		c := m.Card
		rating := c.Curve[len(c.Curve)-1].Elo
		fmt.Fprintf(out, "%-*s  %10d %7d %10.2f  %v above %s\n", width, c.Game, c.Generation, c.Games, c.CoreHours, rating, c.Rated.Anchor)
	}
	return nil
}

func completeModel(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	all, err := bundled.List()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, m := range all {
		names = append(names, m.Card.Game)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
