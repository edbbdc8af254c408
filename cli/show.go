package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
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
		Long: `Show prints games from a file that tiro match --records, tiro rate or save in tiro
play has written: the board after every move. Of a file with several games it prints
a list, and the game of --game. A match may still be adding to the file.`,
		Example: `  tiro match connect4 --a mcts:100 --b greedy --games 10 --records games.jsonl
  tiro show games.jsonl
  tiro show games.jsonl --game 3
  tiro show games.jsonl --game 3 --ply 12`,
		Args: args("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			if err := cmp.Or(unless(o.game >= 0, "--game %d; want 0 or more", o.game), unless(o.ply >= 0, "--ply %d; want 0 or more", o.ply)); err != nil {
				return err
			}
			file, err := games.readStored(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if !given("game") && len(file.games) != 1 {
				if err := unless(!given("ply"), "--ply wants one of the %d games in the file, by --game", len(file.games)); err != nil {
					return err
				}
				for _, g := range file.games {
					fmt.Fprintln(out, g.title)
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
	cmd.Flags().IntVar(&o.game, "game", 0, "number of the game to show, as in the list")
	cmd.Flags().IntVar(&o.ply, "ply", 0, "show the position after so many actions only")
	return cmd
}

// storedGames are the games of a file.
type storedGames struct {
	game  env.Game
	games []storedGame
}

// storedGame is a game in a file.
type storedGame struct {
	number  int
	title   string // who played, and how it ended, for people
	start   env.State
	history []env.Action
}

// maxStored bounds a file of games that is shown, in bytes.
const maxStored = 1 << 30

// readStored reads a file that tiro match --records or tiro play has written.
func (c catalog) readStored(path string) (stored storedGames, err error) {
	if path, err = systemPath(path); err != nil {
		return stored, err
	}
	data, err := disk.ReadFile(disk.OS{}, path, maxStored)
	if err != nil {
		return stored, err
	}
	if name, ok := play.RecordGame(data); ok {
		err = stored.readRecord(c.New, name, data)
	} else {
		err = stored.readMatch(c.New, data)
	}
	if err != nil {
		return stored, fmt.Errorf("%s: %w", path, err)
	}
	return stored, nil
}

// readRecord reads a game that was saved in tiro play.
func (f *storedGames) readRecord(find env.Lookup, name string, data []byte) (err error) {
	if f.game, err = find(name); err != nil {
		return err
	}
	start, history, err := play.ReadRecord(f.game, data)
	if err != nil {
		return err
	}
	title := ""
	for line := range strings.Lines(string(data)) {
		for _, key := range []string{"players: ", "result: "} {
			if value, ok := strings.CutPrefix(line, key); ok {
				title += strings.TrimSpace(value) + ": "
			}
		}
	}
	f.games = []storedGame{{title: fmt.Sprintf("%s%d plies", title, len(history)), start: start, history: history}}
	return nil
}

// readMatch reads the games of a match.
func (f *storedGames) readMatch(find env.Lookup, data []byte) error {
	name, err := arena.GameOf(data)
	if err != nil {
		return fmt.Errorf("neither games of tiro match --records or tiro rate, nor a game saved in tiro play: %w", err)
	}
	if f.game, err = find(name); err != nil {
		return err
	}
	matches, err := arena.ReadGames(data, f.game)
	if err != nil {
		return err
	}
	first := 0 // number of a match's first game
	for _, m := range matches {
		if err := f.addMatch(m, first); err != nil {
			return err
		}
		for _, g := range f.games {
			first = max(first, g.number+1)
		}
	}
	return nil
}

// addMatch adds the games of a match, whose numbers begin with first.
func (f *storedGames) addMatch(m *arena.LoggedMatch, first int) error {
	for _, r := range m.Games {
		r.Number += first
		g := storedGame{number: r.Number, start: f.game.New()}
		at := f.game.New()
		for _, name := range r.Moves { // which ReadGames has played
			a, err := env.ParseAction(at, name)
			if err != nil {
				return err
			}
			g.history = append(g.history, a)
			at.Play(a)
		}
		var who []string
		for seat, player := range r.Seating {
			who = append(who, env.SeatName(f.game, env.Player(seat))+" "+m.Players[player].Name)
		}
		ending := ""
		if r.Ending != "" {
			ending = " (" + r.Ending + ")"
		}
		if r.Forfeit != nil {
			ending = fmt.Sprintf(" (%s forfeits: %s)", env.SeatName(f.game, env.Player(r.Forfeit.Seat)), r.Forfeit.Reason)
		}
		g.title = printable(fmt.Sprintf("game %d: %s: %s%s, %d plies", r.Number, strings.Join(who, ", "), env.FormatPayoffs(r.Result), ending, len(g.history)))
		f.games = append(f.games, g)
	}
	return nil
}

// find returns the game of a number; without one there is only one game.
func (f *storedGames) find(number int, given bool) (*storedGame, error) {
	for i := range f.games {
		if g := &f.games[i]; g.number == number || !given {
			return g, nil
		}
	}
	if len(f.games) == 0 {
		return nil, errors.New("the file holds no games yet")
	}
	return nil, usage(fmt.Errorf("--game %d is not among the %d games of the file; tiro show FILE lists them", number, len(f.games)))
}

// show prints all positions of a game.
func (f *storedGames) show(out io.Writer, g *storedGame, screen env.Screen) error {
	fmt.Fprintf(out, "%s: %s\n\n%s", f.game.Spec().Name, g.title, env.Draw(g.start, screen))
	at := env.After(f.game, g.start)
	for i, a := range g.history {
		before := env.After(f.game, at)
		fmt.Fprintf(out, "\n%d. %s %s\n", i+1, env.SeatName(f.game, at.Turn()), at.ActionString(a))
		at.Play(a)
		screen.Since = before
		if _, err := io.WriteString(out, env.Draw(at, screen)); err != nil {
			return err
		}
	}
	return nil
}

// showPly prints the position of a game after so many actions, as a drawing and as text.
func (f *storedGames) showPly(out io.Writer, g *storedGame, ply int, screen env.Screen) error {
	if ply > len(g.history) {
		return usage(fmt.Errorf("--ply %d; want 0 to %d, the length of the game", ply, len(g.history)))
	}
	at := env.After(f.game, g.start, g.history[:ply]...)
	if ply > 0 {
		screen.Since = env.After(f.game, g.start, g.history[:ply-1]...)
	}
	fmt.Fprintf(out, "%s: %s\n\nafter %d plies\n%s", f.game.Spec().Name, g.title, ply, env.Draw(at, screen))
	if p, ok := at.(env.Positioner); ok {
		fmt.Fprintf(out, "\nposition: %s\n", p.Position())
	}
	return nil
}
