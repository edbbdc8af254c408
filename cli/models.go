package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/internal/decimal"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/networks"
	"tiro/rundir"
)

func modelsCommand(games catalog, fsys disk.FS) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "models [GAME] [--save FOLDER]",
		Short: "List the bundled models, or show the card of one",
		Long: `Models lists the models that are part of this program: the game, the number of games and
core-hours of training, and the scores against the two strongest opponents on its card, or
a rating. With GAME it prints the model's card: training, strength, and the limits of these
figures.

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
			save := cmd.Flags().Changed("save")
			switch {
			case len(args) == 0 && save:
				return usage(errors.New("--save requires GAME"))
			case len(args) == 0:
				return listModels(cmd.OutOrStdout())
			case save && folder == "":
				return usage(errors.New("--save requires the name of a folder"))
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
	fmt.Fprintf(out, "%-*s  %10s %7s %10s  %s\n", width, "game", "generation", "games", "core-hours", "score: points per game, 100% is a win")
	for _, m := range all {
		c := m.Card
		fmt.Fprintf(out, "%-*s  %10d %7d %10.2f  %s\n", width, c.Game, c.Generation, c.Games, c.CoreHours, scoresAgainst(&c))
	}
	return nil
}

// shownRatings is the number of a card's ratings in the list.
const shownRatings = 2

// scoresAgainst returns a line with the scores of a model against its hardest opponents that are
// not checkpoints of a run, or its rating if there are none.
func scoresAgainst(c *card.Card) string {
	hardest := slices.DeleteFunc(slices.Clone(c.Ratings), func(r card.Result) bool {
		return strings.Contains(r.Opponent, "/"+rundir.CheckpointsDir+"/")
	})
	slices.Reverse(hardest) // cards list the weaker of two like opponents first, so that the strongest of equals comes first
	slices.SortStableFunc(hardest, func(a, b card.Result) int { return cmp.Compare(a.Score.Value, b.Score.Value) })
	if n := len(c.Curve); len(hardest) == 0 && n > 0 && c.Curve[n-1].Elo.Value != nil {
		return decimal.Signed(*c.Curve[n-1].Elo.Value, 0) + " Elo above " + c.Rated.Anchor
	}
	var texts []string
	for _, r := range hardest[:min(shownRatings, len(hardest))] {
		texts = append(texts, percentOf(r.Score.Value)+" against "+r.Opponent)
	}
	text := strings.Join(texts, ", ")
	if len(hardest) > 0 && hardest[0].EqualScore < 0.5 {
		text += "; equal players score " + percentOf(hardest[0].EqualScore)
	}
	return text
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

func percentOf(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
