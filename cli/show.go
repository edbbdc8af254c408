package cli

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env"
	"tiro/play"
)

// showOptions are the flags of tiro show.
type showOptions struct {
	game int
	ply  int
}

func showCommand(games catalog) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Replay the games in a file",
		Long: `Show prints the board after every move of a game from a file that tiro match --records,
tiro rate or the command save of tiro play has written. For a file with several games it
prints a list, and with --game one of them. A match may be adding to the file meanwhile.`,
		Example: `  tiro match connect4 --a mcts:100 --b greedy --games 10 --records games.jsonl
  tiro show games.jsonl
  tiro show games.jsonl --game 3
  tiro show games.jsonl --game 3 --ply 12`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			file, err := games.readStored(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if !given("game") && len(file.Games) != 1 {
				if err := unless(!given("ply"), "--ply wants one of the %d games in the file, by --game", len(file.Games)); err != nil {
					return err
				}
				for _, g := range file.Games {
					fmt.Fprintln(out, g.Title)
				}
				return nil
			}
			g, err := file.find(o.game, given("game"))
			if err != nil {
				return err
			}
			screen := env.Screen{Columns: columns(out, 0), Colour: colour(out)}
			if !given("ply") {
				return file.show(out, g, screen)
			}
			return file.showPly(out, g, o.ply, screen)
		},
	}
	intVar(cmd, &o.game, "game", 0, 0, math.MaxInt, "number of the game to show, as in the list")
	intVar(cmd, &o.ply, "ply", 0, 0, math.MaxInt, "show the position after so many actions only")
	return cmd
}

// storedGames are the games of a file.
type storedGames struct{ play.Stored }

// maxStored bounds a file of games that is shown, in bytes.
const maxStored = 1 << 30

// readStored reads a file that tiro match --records or tiro play has written.
func (c catalog) readStored(path string) (stored storedGames, err error) {
	if path, err = disk.Path(path); err != nil {
		return stored, err
	}
	data, err := disk.ReadFile(disk.OS{}, path, maxStored)
	if err != nil {
		return stored, err
	}
	if stored.Stored, err = play.ReadStored(data, c.New); err != nil {
		return stored, fmt.Errorf("%s: %w", path, err)
	}
	for i := range stored.Games {
		stored.Games[i].Title = printable(stored.Games[i].Title)
	}
	return stored, nil
}

// find returns the game of a number; without one there is only one game.
func (f *storedGames) find(number int, given bool) (*play.StoredGame, error) {
	for i := range f.Games {
		if g := &f.Games[i]; g.Number == number || !given {
			return g, nil
		}
	}
	if len(f.Games) == 0 {
		return nil, errors.New("the file holds no games yet")
	}
	return nil, usage(fmt.Errorf("--game %d is not among the %d games of the file; tiro show FILE lists them", number, len(f.Games)))
}

// show prints all positions of a game.
func (f *storedGames) show(out io.Writer, g *play.StoredGame, screen env.Screen) error {
	fmt.Fprintf(out, "%s: %s\n\n%s", f.Rules.Spec().Name, g.Title, env.Draw(g.Start, screen))
	at := env.After(f.Rules, g.Start)
	for i, a := range g.History {
		screen.Since = env.After(f.Rules, at)
		fmt.Fprintf(out, "\n%d. %s %s\n", i+1, env.SeatName(f.Rules, at.Turn()), at.ActionString(a))
		at.Play(a)
		if _, err := io.WriteString(out, env.Draw(at, screen)); err != nil {
			return err
		}
	}
	return nil
}

// showPly prints the position of a game after so many actions, as a drawing and as text.
func (f *storedGames) showPly(out io.Writer, g *play.StoredGame, ply int, screen env.Screen) error {
	if ply > len(g.History) {
		return usage(fmt.Errorf("--ply %d; want 0 to %d, the length of the game", ply, len(g.History)))
	}
	at := env.After(f.Rules, g.Start, g.History[:ply]...)
	if ply > 0 {
		screen.Since = env.After(f.Rules, g.Start, g.History[:ply-1]...)
	}
	fmt.Fprintf(out, "%s: %s\n\nafter %d plies\n%s", f.Rules.Spec().Name, g.Title, ply, env.Draw(at, screen))
	if p, ok := at.(env.Positioner); ok {
		fmt.Fprintf(out, "\nposition: %s\n", p.Position())
	}
	return nil
}
