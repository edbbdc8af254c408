package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
	"tiro/models"
	"tiro/models/card"
	"tiro/networks"
	"tiro/player"
	"tiro/player/clock"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study"
	"tiro/study/ladder"
	"tiro/study/page"
)

type rateOptions struct {
	catalog
	ladder.Options
	card   string // folder of the model card, "" for none
	sims   int
	clock  clock.Control // of players without their own
	newest bool          // rate only the newest checkpoint of each run
	every  int           // rate only checkpoints of each run divisible by it, and the newest
	csv    string
	json   string
	svg    string

	cluster clusterOptions
}

func rateCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := rateOptions{catalog: games}
	o.Disk = fsys
	cmd := &cobra.Command{
		Use:   "rate [GAME] [RUN_OR_FILE|PLAYER…]",
		Short: "Rate the checkpoints of runs and other players on a fixed Elo scale",
		Long: `Rate measures the strength of networks and other players on an Elo scale with a fixed
zero. It compares them with the ladder of the game: reference players and their games,
which are part of the program. tiro rate GAME prints the ladder. In games without a
ladder, ratings are relative to mcts:200.

A player is a checkpoint, a weights file, a player of tiro match such as mcts:400, or a
run, which means all its checkpoints (see --newest, --every). Settings of the search may
follow, as in runs/coerceo,sims=200. Networks use 64 simulations a move without --sims or
settings of their own. GAME may be omitted if a network comes first.

Games are played in batches of a dozen, and each batch goes to the pair that reduces the
errors most, until every 95% error is below --error or every player has --games. This
error treats the references' ratings as known. The 95% interval also includes the errors
of the references' ratings. All ratings come from one fit of all games.

Games are kept in games.jsonl in --dir. The same command resumes after Ctrl-C or a crash,
and rates new checkpoints of a run that has grown. The same seed gives the same games for
any number of workers. With --tc or --st the players have clocks, and the ladder's players
their usual limits. Such games depend on the machine.

--card writes the network of the first player to a folder with its model card: strength,
learning curve, and the commands that reproduce it. --svg draws the ratings of runs
against CPU time and games. With --listen or --nats, tiro worker plays the games.`,
		Example: `  tiro rate coerceo
  tiro rate runs/coerceo --svg strength.svg --csv strength.csv
  tiro rate runs/a runs/b --every 20
  tiro rate runs/coerceo --every 20 --sims 400 --card coerceo-card
  tiro rate connect4 --newest runs/a runs/b,sims=200 bundled alphabeta:6`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRate(cmd, args, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.newest, "newest", false, "rate only the newest checkpoint of each run")
	intVar(cmd, &o.every, "every", 1, 1, math.MaxInt32, "rate only checkpoints of generations divisible by this, and the newest")
	intVar(cmd, &o.Games, "games", 400, 1, maxRatedGames, "maximum number of games per player, rounded up to whole batches")
	floatVar(cmd, &o.Error, "error", 40, 10_000, "95% error of a rating, in Elo, below which its player needs no more games")
	simsVar(cmd, &o.sims, player.MatchSimulations, 1, "simulations per move of networks without their own setting")
	clockVar(cmd, &o.clock, "players, but not the ladder's,")
	f.Uint64Var(&o.Seed, "seed", 1, "random seed")
	workersVar(cmd, &o.Workers, 0)
	f.StringVar(&o.Dir, "dir", "", "keep the games in `FOLDER` (default rate-GAME beside the first run, or runs/rate-GAME)")
	f.StringVar(&o.card, "card", "", "write the model card of the first player, a run or a checkpoint, to this `FOLDER`")
	f.StringVar(&o.csv, "csv", "", "write player,elo,error,games,… to this `FILE`")
	f.StringVar(&o.svg, "svg", "", "draw the ratings of runs to this SVG `FILE`")
	f.StringVar(&o.json, "json", "", "write the report, with the covariance, to this `FILE`")
	backendVar(cmd, &o.Backend)
	clusterVar(cmd, &o.cluster)
	cmd.MarkFlagsMutuallyExclusive("newest", "every")
	cmd.MarkFlagsMutuallyExclusive("sims", "tc", "st")
	return cmd
}

// maxRatedGames is the maximum of --games.
const maxRatedGames = 1_000_000

func runRate(cmd *cobra.Command, args []string, o rateOptions) (err error) {
	if err := o.cluster.check(cmd, o.Table.New, o.Workers); err != nil {
		return err
	}
	if o.Game, args, err = o.gameToRate(args); err != nil {
		return err
	}
	if o.Ladder, err = ladder.Find(o.Game); err != nil {
		return err
	}
	o.Tiro = build()
	if err := o.players(args, cmd.ErrOrStderr()); err != nil {
		return err
	}
	carded, err := o.carded(args)
	if err != nil {
		return err
	}
	drawable := slices.ContainsFunc(o.Candidates, func(c ladder.Candidate) bool { return c.Checkpoint != nil })
	if o.svg != "" && !drawable {
		return usage(errors.New("--svg requires a run or a checkpoint among the players"))
	}
	var targets [3]*target
	for i, path := range []string{o.csv, o.json, o.svg} {
		file, _ := filepath.Abs(path)
		if games, _ := filepath.Abs(filepath.Join(o.Dir, ladder.LogFile)); file == games { // Abs fails only without a current folder
			return usage(fmt.Errorf("write %s: has the games of the rating; choose another name", path))
		}
		if targets[i], err = openTarget(cmd.Context(), path); err != nil {
			return err
		}
		defer targets[i].close()
	}
	meter := newMeter(cmd.ErrOrStderr())
	var closeCluster func()
	if o.Elsewhere, closeCluster, err = o.cluster.connect(o.Backend, meter.log); err != nil {
		return err
	}
	defer closeCluster()
	o.Begin, o.Clock = batches(meter), machineClock()
	factories := make([]player.Factory, len(o.Candidates))
	for i, c := range o.Candidates {
		factories[i] = c.Factory
	}
	warnOfWorkers(meter, o.Workers, factories)
	report, err := ladder.Rate(cmd.Context(), o.Options)
	if meter.kept(err) != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	err = errors.Join(o.writeCard(cmd, carded, &report), targets[0].save(report.WriteCSV), targets[1].saveJSON(report))
	if o.svg != "" {
		err = errors.Join(err, targets[2].save(func(w io.Writer) error { return page.WriteRatings(w, &report) }))
	}
	return err
}

// carded returns the run for --card at its newest candidate, nil without --card. It is read
// before the first game, so that the run may train meanwhile.
func (o *rateOptions) carded(args []string) (*study.Run, error) {
	if o.card == "" {
		return nil, nil
	}
	var s player.Spec
	if len(args) > 0 {
		var err error
		if s, err = o.defaults().Parse(args[0]); err != nil {
			return nil, usage(fmt.Errorf("--card: %w", err))
		}
	}
	switch {
	case s.Kind != player.Net:
		return nil, usage(errors.New("--card requires a run or a checkpoint as the first player"))
	case networks.IsBundled(s.Network):
		return nil, usage(fmt.Errorf("--card: %s already has a card (tiro models GAME prints it)", s.Network))
	}
	path, checkpoints := s.Network, filepath.Join(s.Network, rundir.CheckpointsDir)
	for _, c := range o.Candidates {
		switch {
		case filepath.Dir(c.Network) == checkpoints:
			path = c.Network
		case c.Network == s.Network && c.Checkpoint != nil: // with --newest
			path = filepath.Join(checkpoints, models.FormatGeneration(c.Checkpoint.Generation))
		}
	}
	return study.Open(path, o.New)
}

// writeCard writes the card of a run with the ratings of a report. It does nothing if run is
// nil.
func (o *rateOptions) writeCard(cmd *cobra.Command, run *study.Run, report *ladder.Report) error {
	if run == nil {
		return nil
	}
	c, err := run.RatedCard(cmd.Context(), report, machine.Processor())
	if err != nil {
		return err
	}
	commands, folder, err := recipe.Lineage(o.Table.New, run.Origins, run.Config, run.Generation)
	if err != nil {
		return err
	}
	rate := []string{"tiro", "rate", folder, "--card", "card", "--sims", strconv.Itoa(c.Rated.Simulations)}
	for _, name := range []string{"newest", "every", "games", "error", "seed"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed {
			rate = append(rate, "--"+name+"="+flag.Value.String())
		}
	}
	c.Commands = append(commands, recipe.ShellLine(rate...))
	if err := run.SaveCard(o.Disk, o.card, c); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, generation %d\n", filepath.Join(o.card, card.MarkdownFile), c.Game, c.Generation)
	return nil
}

// batches returns a function that shows the progress of batches of games on a meter.
func batches(meter *meter) func(ladder.Upcoming) (func(arena.Progress), func()) {
	return func(u ladder.Upcoming) (game func(arena.Progress), end func()) {
		meter.begin(u.Title+",", "games", u.Done, u.Most)
		return func(p arena.Progress) { meter.set(u.Done+p.Done, p.String()) }, meter.end
	}
}

// gameToRate returns the game and the players that the arguments of tiro rate name. Without a
// game, it is the game of the first player's network.
func (c catalog) gameToRate(args []string) (game env.Game, players []string, err error) {
	if len(args) == 0 {
		return nil, nil, usage(errors.New("nothing to rate: give GAME, to print its ladder, or players"))
	}
	game, gameErr := c.newGame(args[0])
	if gameErr == nil {
		return game, args[1:], nil
	}
	s, err := player.Defaults{Simulations: player.MatchSimulations, Path: true}.Parse(args[0])
	if err != nil {
		return nil, nil, usage(err)
	}
	if s.Kind != player.Net {
		return nil, nil, usage(fmt.Errorf("unknown game %q; to rate a player, put its game first: tiro rate GAME %s", args[0], args[0]))
	}
	path := s.Network
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !networks.IsBundled(path) && !strings.ContainsAny(path, `/\`) {
		return nil, nil, gameErr
	}
	n, err := networks.Open(path, "", c.newGame)
	if err != nil {
		return nil, nil, err
	}
	game, err = c.New(n.Weights.Spec.Name)
	return game, args, err
}

// defaults returns the settings of players without their own.
func (o *rateOptions) defaults() player.Defaults {
	return player.Defaults{Simulations: o.sims, Clock: o.clock, Path: true}
}

// players sets the candidates that the arguments name, and the folder of the games.
func (o *rateOptions) players(args []string, notes io.Writer) error {
	specs, err := o.cluster.players(args, o.defaults())
	if err != nil {
		return err
	}
	opener := o.opener(o.Backend, 1, notes)
	return o.Enter(ladder.Entrants{
		Players: specs, Newest: o.newest, Every: o.every,
		Make: func(s player.Spec) (player.Factory, error) { return opener.make(o.Game, s) },
	})
}
