package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/env"
	"tiro/format"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/play"
)

// movesOptions are the flags of tiro moves.
type movesOptions struct {
	catalog
	planes bool
	model  string
}

func movesCommand(games catalog) *cobra.Command {
	o := movesOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "moves GAME",
		Short: "Print the legal moves of positions and where they lead",
		Long: `Moves reads one position a line from standard input and prints for each one JSON
object: the position, its legal moves, the result ("*" while the game goes on)
and for every move the position after it. For Coerceo these are the turns, with
captured pieces, removed and collected tiles, and results by the base rule; for
Shacru, Azacru and Pacru all complete turns that are not on the spot, and the
number of those that are ("spot_turns").
With --planes the object has what a network sees of the position instead, and
the numbers of the legal actions; with --model also the answer of that network
by itself, without a search. docs/FORMATS.md describes the fields.
A line may also say how the position came about, in JSON, so that clocks and earlier
positions count: {"moves":["4","4"]}, or with "position" where the moves begin.
A line that is not a position is answered by {"pos":…,"error":…}; the exit code
is then 1.`,
		Example: `  echo '14.12.0a.24.14.0a.09.28.28.00.05.05.09.11.22.24.11.12.22 w 0 0' | tiro moves coerceo
  tiro moves coerceo:price=1 < positions.txt
  echo '..o/.x./...' | tiro moves tictactoe --planes --model runs/tictactoe`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runMoves(cmd, args[0], o) },
	}
	cmd.Flags().BoolVar(&o.planes, "planes", false, "print observation planes and action numbers")
	cmd.Flags().StringVar(&o.model, "model", "", modelHelp+", whose answers --planes prints")
	return cmd
}

func runMoves(cmd *cobra.Command, name string, o movesOptions) error {
	if err := unless(o.planes || o.model == "", "--model is for --planes; give both"); err != nil {
		return err
	}
	game, err := o.newGame(name)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(stoppable(cmd.Context(), cmd.InOrStdin()), maxLine)
	out := bufio.NewWriterSize(cmd.OutOrStdout(), maxLine)
	answer := func(s env.State) (any, error) { return recordOf(game, s), nil }
	if o.planes {
		var plan *net.Plan
		if o.model != "" {
			_, model, err := o.opener(kernel.Best(), 1, cmd.ErrOrStderr()).Model(game, o.model)
			if err != nil {
				return err
			}
			plan = model.NewPlan(1)
		}
		answer = func(s env.State) (any, error) { return net.Look(game.Spec(), s, plan) }
	}
	bad, lines, err := answerLines(game, in, out, answer)
	if fault := out.Flush(); err == nil { // after a failed write Flush returns the same error again
		err = fault
	}
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d lines were not positions; the \"error\" of each says why", bad, lines)
	}
	return nil
}

// answerLines writes what answer returns for the position of every line of in, and counts
// the lines.
func answerLines(game env.Game, in *bufio.Reader, out *bufio.Writer, answer func(env.State) (any, error)) (bad, lines int, err error) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := readLine(in)
		if err == io.EOF {
			return bad, lines, nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return bad, lines, fmt.Errorf("read positions: %w", err)
		}
		var state env.State
		if err == nil {
			state, err = positionOf(game, line)
		}
		lines++
		if err != nil {
			bad++
			err = encoder.Encode(badLine{line, err.Error()})
		} else {
			var record any
			if record, err = answer(state); err == nil {
				err = encoder.Encode(record)
			}
		}
		// Whoever waits for an answer before the next line gets it at once.
		if err == nil && in.Buffered() == 0 {
			err = out.Flush()
		}
		if err != nil {
			return bad, lines, fmt.Errorf("write records: %w", err)
		}
	}
}

// positionOf returns the position of a line: a position string, or an object with the moves
// that lead there.
func positionOf(game env.Game, line string) (env.State, error) {
	if !strings.HasPrefix(line, "{") {
		state := game.New()
		p, ok := state.(env.Positioner)
		if !ok {
			return nil, fmt.Errorf(`%s has no position strings; want {"moves":[…]}`, game.Spec().Name)
		}
		return state, p.SetPosition(line)
	}
	var way struct {
		Position string   `json:"position"`
		Moves    []string `json:"moves"`
	}
	if err := format.DecodeStrict([]byte(line), &way); err != nil {
		return nil, err
	}
	return play.PositionAfter(game, way.Position, way.Moves)
}

// maxLine is longer than any position string of any game, and than the moves of most
// games. It is the size of the buffer that lines are read into.
const maxLine = 1 << 16

var errLongLine = fmt.Errorf("line of more than %d bytes; want a position string", maxLine)

// readLine returns the next line without its end. Of a line that is too long
// it returns the beginning and errLongLine, and the reader stands behind it.
func readLine(in *bufio.Reader) (string, error) {
	data, err := in.ReadSlice('\n')
	line, tooLong := string(data), error(nil)
	if err == bufio.ErrBufferFull {
		line, tooLong = strings.ToValidUTF8(line[:80], "\uFFFD")+"…", errLongLine
	}
	for err == bufio.ErrBufferFull {
		_, err = in.ReadSlice('\n')
	}
	if err != nil && (err != io.EOF || line == "") {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), tooLong
}

// badLine answers a line that is no position.
type badLine struct {
	Position string `json:"pos"`
	Error    string `json:"error"`
}

// record is the record of a position whose game has no env.TurnRecorder.
type record struct {
	Position string   `json:"pos"`
	Legal    []string `json:"legal"`
	Result   string   `json:"result"`
	Children []child  `json:"children"`
}

type child struct {
	Move   string `json:"move"`
	After  string `json:"after"`
	Result string `json:"result"`
}

// recordOf returns the record of s.
func recordOf(game env.Game, s env.State) any {
	if r, ok := s.(env.TurnRecorder); ok {
		return r.Record()
	}
	players := game.Spec().Players
	r := record{Position: s.String(), Legal: []string{}, Result: env.FormatResult(s, players), Children: []child{}}
	for _, a := range s.Legal(nil) {
		next := env.After(game, s, a)
		r.Children = append(r.Children, child{s.ActionString(a), next.String(), env.FormatResult(next, players)})
	}
	slices.SortFunc(r.Children, func(a, b child) int { return strings.Compare(a.Move, b.Move) })
	for _, c := range r.Children {
		r.Legal = append(r.Legal, c.Move)
	}
	return r
}
