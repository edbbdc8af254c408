package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/internal/decimal"
	"tiro/net"
	"tiro/play"
	"tiro/player"
)

// analyzeOptions are the flags of tiro analyze.
type analyzeOptions struct {
	catalog
	model   string
	sims    int
	workers int
	backend net.Backend

	records string
	game    int // number in the records, or allGames
	blunder float64
	json    string
	pgn     string
}

// allGames is the default of --game: all games of the file.
const allGames = -1

func analyzeCommand(games catalog) *cobra.Command {
	o := analyzeOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "analyze GAME --model M",
		Short: "Analyse positions for other programs (JSON lines), or annotate games",
		Long: `Analyze reads questions from standard input, one JSON object a line, and answers each with
one on standard output:

  {"id":1,"moves":["4","4"]}         the position after these moves
  {"id":"x","position":"…"}          a position in the game's notation; moves may follow
  {"id":2,"moves":[],"sims":2000}    with another number of simulations
  {"cancel":1}                       drop question 1, which is answered with an error

  {"id":1,"position":"…","turn":0,"outcome":[0.51,0.43,0.06],"sims":400,"exact":false,
   "lines":[{"action":"4","visits":310,"value":0.08,"prior":0.6,"pv":["4","4","5"]},…]}
  {"id":2,"error":"…"}

Outcome holds the probability of a win of each seat, then of a draw. A line's value is the
expected payoff of the player to move, -1 to 1. Answers come in the order of the questions.
Questions are searched together in batches, which does not change the answers. With --sims
0 the network answers without a search: all legal moves with their priors. docs/PROTOCOL.md
describes every field.

--records FILE annotates the games in a file that tiro show reads, and marks moves that lose
at least --blunder. --pgn writes them with these notes.`,
		Example: `  echo '{"id":1,"moves":["4","4"]}' | tiro analyze connect4 --model bundled
  tiro analyze coerceo --model runs/coerceo --sims 1000 < questions.jsonl > answers.jsonl
  tiro analyze connect4 --model bundled --records games.jsonl --game 3
  tiro analyze coerceo --model bundled --records game.pgn --json notes.json --pgn notes.pgn`,
	}
	f := cmd.Flags()
	f.StringVar(&o.model, "model", "", modelHelp)
	simsVar(cmd, &o.sims, player.PlaySimulations, 0, "simulations per position, 0 for the network alone")
	workersVar(cmd, &o.workers, 1)
	backendVar(cmd, &o.backend)
	f.StringVar(&o.records, "records", "", "annotate the games in this `FILE`")
	f.IntVar(&o.game, "game", allGames, "number of the game in --records to annotate, as tiro show lists them")
	f.Lookup("game").DefValue = "all"
	floatVar(cmd, &o.blunder, "blunder", 0.3, 2, "mark a move that lowers the expected payoff (-1 to 1) by at least this")
	f.StringVar(&o.json, "json", "", "write the notes on the games to this `FILE`")
	f.StringVar(&o.pgn, "pgn", "", "write the games as PGN to this `FILE`, with the player's expected payoff after each move")
	return required(games.forGame(cmd, o.run), "model")
}

// analysedTree is the maximum size of a position's search tree, in bytes.
const analysedTree = 64 << 20

func (o *analyzeOptions) run(cmd *cobra.Command, game env.Game, _ []string) error {
	blunder := cmd.Flags().Changed("blunder")
	if err := unless(o.records != "" || o.json == "" && o.pgn == "" && o.game == allGames && !blunder, "--json, --pgn, --game and --blunder require --records FILE"); err != nil {
		return err
	}
	opener := o.opener(o.backend, 1, cmd.ErrOrStderr())
	_, model, err := opener.Model(game, o.model)
	if err != nil {
		return err
	}
	meter := newMeter(cmd.ErrOrStderr())
	analyst := play.Analyst{
		Game: game,
		Engine: arena.EngineUnderTest{
			Search: player.NetworkConfig(o.sims).Within(game, analysedTree), Workers: o.workers, Batch: net.Batch(o.backend),
			Evaluator: opener.Evaluators(game, model),
			Answered:  func() { meter.add(1, 0) },
		},
		Outcome: func() func(env.State) []float64 { return net.Outcomes(model, game) },
	}
	if o.records != "" {
		return o.annotate(cmd, analyst, meter)
	}
	meter.begin("analysis", "positions", 0, 0)
	defer meter.end()
	return analyst.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
}

// annotatedGame is a game with its notes.
type annotatedGame struct {
	Number int         `json:"number"` // number of the game in the list of tiro show
	Title  string      `json:"title"`  // players and result
	Notes  []play.Note `json:"notes"`  // one for each action
}

// annotatedGames is the file of tiro analyze --records --json.
type annotatedGames struct {
	Game    string          `json:"game"`    // game string
	Model   string          `json:"model"`   // name of the model
	Sims    int             `json:"sims"`    // simulations per position
	Blunder float64         `json:"blunder"` // smallest loss that counts as a blunder
	Games   []annotatedGame `json:"games"`   // the games
}

// annotate prints notes on the games of a file.
func (o *analyzeOptions) annotate(cmd *cobra.Command, analyst play.Analyst, meter *meter) error {
	stored, err := o.readStored(o.records)
	if err != nil {
		return err
	}
	name := analyst.Game.Spec().Name
	if played := stored.Rules.Spec().Name; played != name {
		return usage(fmt.Errorf("%s holds games of %s, not of %s; run tiro analyze %s", o.records, played, name, played))
	}
	if o.game != allGames {
		g, err := stored.find(o.game, true)
		if err != nil {
			return err
		}
		stored.Games = []play.StoredGame{*g}
	}
	if len(stored.Games) == 0 {
		return errors.New(o.records + " holds no games yet")
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	pgn, err := openTarget(cmd.Context(), o.pgn)
	if err != nil {
		return err
	}
	defer pgn.close()
	file := annotatedGames{name, o.model, o.sims, o.blunder, []annotatedGame{}}
	positions := 0
	for _, g := range stored.Games {
		positions += len(g.History)
	}
	meter.begin("analysis", "positions", 0, positions)
	defer meter.end()
	for i := range stored.Games {
		g := &stored.Games[i]
		notes, err := analyst.Annotate(cmd.Context(), g.Start, g.History, o.blunder)
		if err != nil {
			return err
		}
		writeNotes(cmd.OutOrStdout(), analyst.Game, g.Title, notes)
		file.Games = append(file.Games, annotatedGame{g.Number, g.Title, notes})
		g.Comments = comments(notes)
	}
	meter.end()
	return errors.Join(t.saveJSON(file), pgn.save(func(w io.Writer) error { return stored.write(w, &showOptions{}, false) }))
}

// comments returns the notes on a game as comments of PGN.
func comments(notes []play.Note) map[int]string {
	all := map[int]string{}
	for _, n := range notes {
		text := decimal.Signed(n.After, 2)
		if n.Blunder {
			text += ", blunder; best " + strings.Join(n.PV[:min(len(n.PV), 6)], " ")
		}
		all[n.Ply-1] = text
	}
	return all
}

// writeNotes prints the notes on a game as a table.
func writeNotes(out io.Writer, game env.Game, title string, notes []play.Note) {
	width, who := 6, 6
	for _, n := range notes {
		width, who = max(width, len(n.Action), len(n.Best)), max(who, len(env.SeatName(game, n.Turn)))
	}
	fmt.Fprintf(out, "%s: %s\n\n%5s %-*s %-*s %6s %6s %6s  best\n", game.Spec().Name, title, "ply", who, "player", width, "move", "value", "after", "loss")
	blunders := 0
	for _, n := range notes {
		best, mark := "", ""
		if n.Best != n.Action {
			best = n.Best
		}
		if n.Blunder {
			blunders++
			mark = "?? " + strings.Join(n.PV[:min(len(n.PV), 6)], " ")
		}
		line := fmt.Sprintf("%5d %-*s %-*s %6s %6s %6.2f  %-*s %s", n.Ply, who, env.SeatName(game, n.Turn), width, n.Action, decimal.Signed(n.Value, 2), decimal.Signed(n.After, 2), n.Loss, width, best, mark)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(out, "\n%d of %d moves are blunders\n\n", blunders, len(notes))
}
