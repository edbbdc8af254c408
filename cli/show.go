package cli

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/play"
	"tiro/study"
)

// showOptions are the flags of tiro show.
type showOptions struct {
	game int
	ply  int
	sgf  bool
	pgn  bool
}

func showCommand(games catalog) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Replay the games in a file",
		Long: `Show prints the board after every move of a game. FILE was written by tiro match --records,
tiro rate, or the command save of tiro play, has the games of a generation
(episodes/*.jsonl.zst), or is PGN (docs/FORMATS.md) or a game of Go or Othello in SGF. If it has
several games, show lists them, and --game selects one. A match may be adding games meanwhile.`,
		Example: `  tiro match connect4 --a mcts:100 --b greedy --games 10 --records games.jsonl
  tiro show games.jsonl
  tiro show games.jsonl --game 3
  tiro show games.jsonl --game 3 --ply 12
  tiro show games.jsonl --pgn >games.pgn
  tiro show go.jsonl --sgf >go.sgf`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			file, err := games.readStored(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if o.sgf || o.pgn {
				return file.write(out, &o, given("game"))
			}
			if !given("game") && len(file.Games) != 1 {
				if err := unless(!given("ply"), "--ply requires --game, because the file has %d games", len(file.Games)); err != nil {
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
			columns, _ := size(out, 0)
			screen := env.Screen{Columns: columns, Colour: colour(out)}
			if !given("ply") {
				return file.show(out, g, screen)
			}
			return file.showPly(out, g, o.ply, screen)
		},
	}
	intVar(cmd, &o.game, "game", 0, 0, math.MaxInt, "number of the game to show, from the list")
	intVar(cmd, &o.ply, "ply", 0, 0, math.MaxInt, "show only the position after this many actions")
	cmd.Flags().BoolVar(&o.sgf, "sgf", false, "write the game, or all games of the file, as SGF (Go and Othello)")
	cmd.Flags().BoolVar(&o.pgn, "pgn", false, "write the game, or all games of the file, as PGN")
	cmd.MarkFlagsMutuallyExclusive("sgf", "pgn", "ply")
	return cmd
}

// storedGames are the games of a file.
type storedGames struct{ play.Stored }

// maxStored is the maximum size of a file of games, in bytes.
const maxStored = 1 << 30

// readStored reads a file of games.
func (c catalog) readStored(path string) (stored storedGames, err error) {
	data, err := readFile(path, maxStored)
	if err != nil {
		return stored, err
	}
	if stored.Stored, err = study.ReadGames(data, c.New); err != nil {
		return stored, fmt.Errorf("%s: %w", path, err)
	}
	for i := range stored.Games {
		stored.Games[i].Title = printable(stored.Games[i].Title)
	}
	return stored, nil
}

// find returns the game with the given number, or the first game if no number was given.
func (f *storedGames) find(number int, given bool) (*play.StoredGame, error) {
	for i := range f.Games {
		if g := &f.Games[i]; g.Number == number || !given {
			return g, nil
		}
	}
	if len(f.Games) == 0 {
		return nil, errors.New("the file holds no games yet")
	}
	return nil, usage(fmt.Errorf("no game %d among the %d games of the file (tiro show FILE lists them)", number, len(f.Games)))
}

// write writes the game of a number, or without one all of them, as SGF or PGN.
func (f *storedGames) write(out io.Writer, o *showOptions, given bool) error {
	games := f.Games
	if given {
		g, err := f.find(o.game, given)
		if err != nil {
			return err
		}
		games = []play.StoredGame{*g}
	}
	for _, g := range games {
		text, err := g.PGN(), error(nil)
		if o.sgf {
			text, err = g.SGF()
		} else {
			text = append(text, '\n')
		}
		if err == nil {
			_, err = out.Write(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// showPly prints the position of a game after ply actions, as a drawing and as text.
func (f *storedGames) showPly(out io.Writer, g *play.StoredGame, ply int, screen env.Screen) error {
	if ply > len(g.History) {
		return usage(fmt.Errorf("--ply must be at most %d, the length of the game, not %d", len(g.History), ply))
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
