package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
)

func modelsCommand(fsys disk.FS) *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "models [GAME] [--save FOLDER]",
		Short: "List the bundled models, or show the card of one",
		Long: `Models lists the models that are part of this program: for which game, from how
many games and core-hours they learned, and how they did against the two fixed
players that were hardest for them, in points a game. With a game it prints the
card of the model for it: how it was made, what it was measured against, and what
that does not tell.

With --save it writes the model's files to a folder: weights.safetensors,
card.json and card.md. It replaces none that holds something else. If it is cut
off, the same command completes the folder.

A model is for one choice of the game's options. play and engine take it by
themselves; elsewhere bundled stands for it, as in net:bundled or --model bundled, and
bundled:GAME for the one of another game. A file of that name is ./bundled.`,
		Example: `  tiro models
  tiro models coerceo
  tiro models coerceo --save coerceo
  tiro match coerceo --a net:bundled --b mcts:400`,
		Args:              args("[GAME]"),
		ValidArgsFunction: completeModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			save := cmd.Flags().Changed("save")
			switch {
			case len(args) == 0 && save:
				return usage(errors.New("--save is given, but not which model; want tiro models GAME --save FOLDER"))
			case len(args) == 0:
				return listModels(cmd.OutOrStdout())
			case save && folder == "":
				return usage(errors.New("--save \"\"; want a folder"))
			}
			return runModel(fsys, cmd.OutOrStdout(), args[0], folder)
		},
	}
	cmd.Flags().StringVar(&folder, "save", "", "write the model's files to this `FOLDER`")
	return cmd
}

// runModel prints the card of the model for a game or, if a folder is named,
// saves the model there.
func runModel(fsys disk.FS, out io.Writer, name, folder string) error {
	game, err := newGame(name)
	if err != nil {
		return err
	}
	m, err := findBundled(game)
	if err != nil {
		return err
	}
	if folder == "" {
		text, err := fs.ReadFile(m.Files, card.MarkdownFile)
		fmt.Fprintf(out, "%s", text)
		return err
	}
	if err := saveModel(fsys, m, game.Spec(), folder); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s, generation %d\n", filepath.Join(folder, card.WeightsFile), m.Card.Game, m.Card.Generation)
	return nil
}

// listModels prints a table of the bundled models.
func listModels(out io.Writer) error {
	all, err := bundled.List()
	if err != nil {
		return err
	}
	width := len("game")
	for _, m := range all {
		width = max(width, len(m.Card.Game))
	}
	fmt.Fprintf(out, "%-*s  %10s %7s %10s  %s\n", width, "game", "generation", "games", "core-hours", "points a game, a win being 100%")
	for _, m := range all {
		c := m.Card
		fmt.Fprintf(out, "%-*s  %10d %7d %10.2f  %s\n", width, c.Game, c.Generation, c.Games, c.CoreHours, pointsAgainst(c.Ratings))
	}
	return nil
}

// shownRatings is how many of a card's ratings the list has.
const shownRatings = 2

// pointsAgainst says in a line how a model did against the players that were the
// hardest for it.
func pointsAgainst(ratings []card.Rating) string {
	hardest := slices.Clone(ratings)
	slices.Reverse(hardest) // of equals the last ones, since cards go from weak to strong players
	slices.SortStableFunc(hardest, func(a, b card.Rating) int { return cmp.Compare(a.Score.Value, b.Score.Value) })
	var texts []string
	for _, r := range hardest[:min(shownRatings, len(hardest))] {
		texts = append(texts, percentOf(r.Score.Value)+" against "+r.Opponent)
	}
	text := strings.Join(texts, ", ")
	if len(hardest) > 0 && hardest[0].EqualScore < 0.5 {
		text += "; an equal has " + percentOf(hardest[0].EqualScore)
	}
	return text
}

// saveModel writes the files of m, a model for the game of spec, into a folder;
// the card comes last, as it vouches for the rest. It replaces no file: one that
// holds the same is left, any other is an error before anything is written.
func saveModel(fsys disk.FS, m bundled.Model, spec env.Spec, folder string) error {
	if _, err := m.Weights(spec); err != nil {
		return err
	}
	type file struct {
		path string
		data []byte
	}
	var missing []file
	for _, name := range []string{card.WeightsFile, card.MarkdownFile, card.File} {
		data, err := fs.ReadFile(m.Files, name)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err != nil {
			missing = append(missing, file{path, data})
			continue
		}
		there, err := disk.ReadFile(fsys, path, int64(len(data)))
		if err != nil || !bytes.Equal(there, data) {
			return fmt.Errorf("%s is there already, and not the model's; want another folder", path)
		}
	}
	if err := disk.MkdirAll(fsys, folder); err != nil {
		return err
	}
	for _, f := range missing {
		if err := disk.WriteFile(fsys, f.path, func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		}); err != nil {
			return fmt.Errorf("write %s: %w", f.path, err)
		}
	}
	return nil
}

// completeModel completes the names of games that a bundled model is for.
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
