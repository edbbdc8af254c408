package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/net"
	"tiro/networks"
	"tiro/player"
	"tiro/study"
	"tiro/study/exam"
)

// examOptions are the flags of tiro exam.
type examOptions struct {
	catalog
	models    []string
	positions []string
	sims      []int
	workers   int
	noHistory bool
	games     string
	json      string
	backend   net.Backend
}

func examCommand(games catalog) *cobra.Command {
	o := examOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "exam GAME --model M [--positions FILE…|--games RUN]",
		Short: "Test a network on positions with known answers",
		Long: `Exam asks a network for its move and its expected result in positions with known answers.
Each position gets a new search without noise.

Without --positions it uses the sets shipped for the game, with one line for each:
  solved      the exact value of every action is known; right moves keep the value
  tactics     a proven win that a search of 8 simulations missed
  endgame     a win in an endgame that is solved exactly: is it kept, and shortened?
  judgement   positions with the results of games from there: the error of the value
  conversion  clear wins, to be won in time against a stubborn defender
docs/EXAMS.md explains the columns. Small games without sets, such as mnk, are solved, and
the exam uses all positions. --no-history asks for each position without the moves that led
to it, and so without clocks and earlier positions.

--positions names files instead: sets (*.jsonl, *.jsonl.gz), or solved positions for games
with an exact solver. For connect4 these are lines MOVES SCORE: the columns played, 1 to 7,
and the score for the player to move, of which only the sign counts. Each file gets a line
with its errors: moves that turn a win into a draw or a loss, or a draw into a loss. A
second line, on standard error, has the errors of the network alone and the mean error of
the expected value, with its bias in brackets.

--games compares how well networks predict the games of a run in which they did not learn:
the divergence of their policies from the searches', and the loss of their outcomes. This
shows differences of a few Elo that would take thousands of games of a match.

The search proves exact results, as in matches. --sims 0 uses no search: the network's
most likely move counts. The output is the same for any number of workers.`,
		Example: `  tiro exam coerceo --model bundled --sims 200
  tiro exam connect4 --model runs/connect4 --sims 16,64,600
  tiro exam mnk --model runs/tictactoe --sims 1
  tiro exam connect4 --model runs/connect4 --positions Test_L*.txt
  tiro exam connect4 --model runs/c4/checkpoints/000010 --model runs/c4 --positions Test_L1_R3.txt --sims 0
  tiro exam coerceo --model runs/a --model runs/b --games runs/c`,
		Args: cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.models, "model", nil, modelHelp+" (repeatable)")
	f.StringArrayVar(&o.positions, "positions", nil, "read positions from `FILE`; more files may follow (default the sets of the program, or all positions of a small game)")
	f.IntSliceVar(&o.sims, "sims", []int{player.ExamSimulations}, "simulations per move, 0 for the network alone; several as `N`,…")
	f.Lookup("sims").DefValue = strconv.Itoa(player.ExamSimulations)
	f.BoolVar(&o.noHistory, "no-history", false, "ask for positions without the moves that led to them")
	f.StringVar(&o.games, "games", "", "test how well the networks alone predict the games of `RUN`")
	workersVar(cmd, &o.workers, 1)
	for _, other := range []string{"positions", "sims", "no-history", "workers"} {
		cmd.MarkFlagsMutuallyExclusive("games", other)
	}
	f.StringVar(&o.json, "json", "", "write the results and every error to this `FILE`, as JSON")
	backendVar(cmd, &o.backend)
	return required(games.forGame(cmd, o.run), "model")
}

func (o *examOptions) run(cmd *cobra.Command, game env.Game, args []string) (err error) {
	if err := unless(len(o.sims) > 0 && slices.Min(o.sims) >= 0 && slices.Max(o.sims) <= player.MaxSimulations,
		"--sims must be numbers between 0 and %d", player.MaxSimulations); err != nil {
		return err
	}
	if o.games != "" {
		if len(args) > 1 {
			return usage(fmt.Errorf("--games and %s cannot be combined", args[1]))
		}
		return o.predict(cmd, game)
	}
	// Everything is read before the first exam, so that a typing error is reported at once.
	var sets []exam.Set
	if err := await(cmd.Context(), func() error {
		sets, err = exam.Sets(game, append(o.positions, args[1:]...))
		for i := 0; o.noHistory && err == nil && i < len(sets); i++ {
			sets[i], err = sets[i].WithoutHistory(game)
		}
		return err
	}); err != nil {
		return examError(err)
	}
	var models []net.Network
	for _, path := range o.models {
		_, model, err := o.opener(o.backend, 1, cmd.ErrOrStderr()).Model(game, path)
		if err != nil {
			return err
		}
		models = append(models, model)
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	report := examReport{Game: args[0]}
	meter := newMeter(cmd.ErrOrStderr())
	for i, model := range models {
		if len(models) > 1 {
			fmt.Fprintln(cmd.OutOrStdout(), o.models[i])
		}
		r, err := o.take(cmd, meter, sets, game, model)
		if err != nil {
			return err
		}
		r.Model, r.TrainedFor = o.models[i], model.Spec().Name
		report.Models = append(report.Models, r)
	}
	return t.saveJSON(report)
}

// predict tests the networks on the games of a run.
func (o *examOptions) predict(cmd *cobra.Command, game env.Game) error {
	var window *study.Window
	if err := await(cmd.Context(), func() (err error) {
		window, err = study.OpenWindow(o.games, o.newGame)
		return err
	}); err != nil {
		return err
	}
	if played, name := window.Game.Spec().Name, game.Spec().Name; played != name {
		return usage(fmt.Errorf("%s holds games of %s, not of %s", o.games, played, name))
	}
	var all []*net.Weights
	for _, path := range o.models {
		n, err := networks.OpenFor(game, path, o.newGame)
		if err != nil {
			return err
		}
		all = append(all, n.Weights)
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	meter := newMeter(cmd.ErrOrStderr())
	meter.begin("predictions", "games", 0, window.Games()*len(all))
	p := study.Predictions{Networks: o.models}
	err = p.Predict(cmd.Context(), window, o.backend, all, func(games int) { meter.add(games, 0) })
	if meter.end(); err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), &p)
	return t.saveJSON(p)
}

// examError adds an alternative to an error of exam.Sets.
func examError(err error) error {
	switch {
	case errors.Is(err, exam.ErrUnsolvable):
		return usage(fmt.Errorf("no exam for this game (%w); use --positions, or a small game such as mnk", err))
	case errors.Is(err, exam.ErrNoSolver):
		return usage(err)
	}
	return err
}

// take tests a model on all sets with every number of simulations. It prints the results and
// returns them.
func (o *examOptions) take(cmd *cobra.Command, meter *meter, sets []exam.Set, game env.Game, model net.Network) (r modelReport, err error) {
	var table []exam.Result
	for i := range sets {
		set := &sets[i]
		for _, sims := range o.sims {
			engine := arena.EngineUnderTest{
				Search: player.NetworkConfig(sims), Workers: o.workers, Batch: net.Batch(o.backend), Answered: func() { meter.add(1, 0) },
				Evaluator: o.opener(o.backend, 1, nil).Evaluators(game, model),
			}
			meter.begin(filepath.Base(set.Name), "positions", 0, len(set.Questions))
			result, err := set.Take(cmd.Context(), game, engine)
			if meter.end(); err != nil {
				return r, err
			}
			r.Sets = append(r.Sets, result)
			if !set.Judged() {
				table = append(table, result)
			}
			if !set.Judged() && set.Kind != exam.Endgame {
				continue
			}
			name := set.Name
			if len(o.sims) > 1 {
				name += fmt.Sprintf(", %d sims", sims)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", name, result.Summary())
			fmt.Fprintf(meter, "%s: %s\n", name, result.Values())
		}
	}
	if len(table) > 0 {
		fmt.Fprint(cmd.OutOrStdout(), exam.Table(table))
	}
	return r, nil
}

// examReport is the file of --json.
type examReport struct {
	Game   string        `json:"game"`
	Models []modelReport `json:"models"`
}

type modelReport struct {
	Model      string        `json:"model"`
	TrainedFor string        `json:"trained_for"` // canonical game string
	Sets       []exam.Result `json:"sets"`
}
