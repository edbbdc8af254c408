package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/study/ladder"
)

// rateOptions are the flags of tiro rate.
type rateOptions struct {
	ladder.Rating
	folder string // of another ladder
	sims   int
	csv    string
	json   string
}

func rateCommand(fsys disk.FS) *cobra.Command {
	var o rateOptions
	o.Disk = fsys
	cmd := &cobra.Command{
		Use:   "rate [GAME] [RUN_OR_FILE|PLAYER…]",
		Short: "Place players on the ladder of their game, an Elo scale that stays",
		Long: `Rate says how strong networks and other players are, on a scale of Elo that has
the same zero every time. The ladder of a game is a few reference players and their
matches with each other, which come with the program; GAME alone prints it.

A player is a run folder (its newest checkpoint), a checkpoint or a weights file,
with settings of its search if wanted, as in runs/coerceo,sims=200; or a player of
tiro match, such as mcts:400 or bundled,sims=16. GAME may be left out if a network
comes first. Networks take 64 simulations a move, as in tiro match, unless --sims or
their names say otherwise.

Each player meets the references that are about as strong as it is, in batches of a
dozen games, until the 95% error of its rating is below --error or --games are
played. With more than two seats it has one of them, each in turn. The error counts
the games of the player and takes the ratings of the references as known; the
interval beside it is that of the difference from the anchor, at 0, with all errors.
The ratings come from one fit of all matches, those of the ladder too. A player that
is on the ladder plays no games.

Each batch is kept in ratings.json in --dir: Ctrl-C or a crash loses only the games
in progress, and the same command resumes. Same seed, same games, for any number of
workers.`,
		Example: `  tiro rate coerceo
  tiro rate runs/coerceo
  tiro rate connect4 runs/a runs/b,sims=200 alphabeta:6 --csv ratings.csv`,
		Args:              args("[GAME]", "[PLAYER…]"),
		ValidArgsFunction: completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runRate(cmd, args, o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.Games, "games", 400, "games of a player at most, rounded up to whole batches")
	f.Float64Var(&o.Error, "error", 40, "95% error of a rating, in Elo, at which its player stops")
	f.IntVar(&o.sims, "sims", arena.MatchSimulations, "simulations per move of networks without settings of their own")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of all randomness")
	f.IntVar(&o.Workers, "workers", runtime.NumCPU(), "games to play at the same time; affects speed only")
	f.StringVar(&o.Dir, "dir", "", "folder for the games (default runs/rate-GAME)")
	f.StringVar(&o.folder, "ladder", "", "use the ladder in this `FOLDER`, as made by tiro ladder")
	f.StringVar(&o.csv, "csv", "", "write player,elo,error,games,low,high to this file")
	f.StringVar(&o.json, "json", "", "write the report, with the covariance, to this file")
	backendVar(cmd, &o.Backend)
	return cmd
}

// check reports flags that make no sense.
func (o *rateOptions) check() error {
	return cmp.Or(
		inRange("--games", o.Games, 1, maxCardGames),
		unless(o.Error > 0 && !math.IsInf(o.Error, 0), "--error %v; want a number of Elo above 0", o.Error),
		inRange("--sims", o.sims, 1, arena.MaxSimulations),
		inRange("--workers", o.Workers, 1, maxThreads),
	)
}

func runRate(cmd *cobra.Command, args []string, o rateOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.Game, args, err = gameToRate(args); err != nil {
		return err
	}
	if o.Ladder, err = openLadder(o.folder, o.Game); err != nil {
		return err
	}
	for _, arg := range args {
		c, err := candidate(o.Game, computing{o.Backend, 1, cmd.ErrOrStderr()}, o.sims, arg)
		if err != nil {
			return err
		}
		o.Candidates = append(o.Candidates, c)
	}
	if o.Dir == "" {
		o.Dir = besideRuns("rate", o.Game)
	}
	o.Tiro = build()
	csv, err := openTarget(cmd.Context(), o.csv)
	if err != nil {
		return err
	}
	defer csv.close()
	json, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer json.close()
	meter := newMeter(cmd.ErrOrStderr())
	o.Progress = ladderProgress(meter)
	report, err := ladder.Rate(cmd.Context(), o.Rating)
	if errors.Is(err, context.Canceled) {
		meter.log.Info(keptBatches)
	}
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return errors.Join(csv.save(report.WriteCSV), json.saveJSON(report))
}

// keptBatches is logged when a rating or the making of a ladder is interrupted.
const keptBatches = "stopped; finished batches of games are kept; run the same command to resume"

// ladderProgress shows the batches of games on a meter.
func ladderProgress(meter *meter) ladder.Progress {
	return func(u ladder.Upcoming) (game func(arena.Progress), end func()) {
		meter.start(job{what: u.Title + ",", steps: amount{total: u.Most, unit: "games"}})
		meter.set(u.Done, "")
		return func(p arena.Progress) { meter.set(u.Done+p.Done, p.String()) }, meter.end
	}
}

// besideRuns returns the folder, beside the run folders, of work of a kind.
func besideRuns(kind string, game env.Game) string {
	run := defaultRun(game)
	return filepath.Join(filepath.Dir(run), kind+"-"+filepath.Base(run))
}

// gameToRate returns the game that the arguments of tiro rate are about, which is
// the first of them or that of the network there, and the players.
func gameToRate(args []string) (game env.Game, players []string, err error) {
	if len(args) == 0 {
		return nil, nil, usage(errors.New("want a game, whose ladder is printed, or players to rate"))
	}
	game, gameErr := newGame(args[0])
	if gameErr == nil {
		return game, args[1:], nil
	}
	network, ok := networkOf(args[0])
	if !ok {
		return nil, nil, usage(fmt.Errorf("%s is no network, and tells no game; want tiro rate GAME %s", args[0], args[0]))
	}
	named, err := arena.ParseNetwork(arena.MatchSimulations, network)
	if err != nil {
		return nil, nil, usage(err)
	}
	path := named.Network
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !isBundled(path) && !strings.ContainsAny(path, `/\`) {
		return nil, nil, gameErr
	}
	n, err := openNetwork(path, "")
	if err != nil {
		return nil, nil, err
	}
	game, err = games.New(n.weights.Spec.Name)
	return game, args, err
}

// networkOf returns the network that an argument names, with its settings, if it
// names one.
func networkOf(arg string) (network string, ok bool) {
	if network, ok := strings.CutPrefix(arg, "net:"); ok {
		return network, true
	}
	return arg, !arena.IsPlayer(arg)
}

// candidate returns the player that an argument names.
func candidate(game env.Game, c computing, simulations int, arg string) (ladder.Candidate, error) {
	text, ok := networkOf(arg)
	if !ok {
		factory, err := arena.ParsePlayer(game, arg)
		return ladder.Candidate{Player: ladder.Player{Name: arg}, Make: factory}, usage(err)
	}
	named, err := arena.ParseNetwork(simulations, text)
	if err != nil {
		return ladder.Candidate{}, usage(fmt.Errorf("%s: %w", arg, err))
	}
	n, err := openFor(game, named.Network)
	if err != nil {
		return ladder.Candidate{}, err
	}
	name := named.Network + named.Settings
	p, err := networkPlayer(named, n)
	if err != nil {
		return ladder.Candidate{}, usage(fmt.Errorf("%s: %w", arg, err))
	}
	factory, err := parsePlayer(game, c, "net:"+name)
	return ladder.Candidate{Player: p, Make: factory}, err
}

// networkPlayer returns the player of a ladder that searches with a network.
func networkPlayer(named arena.NamedNetwork, n network) (ladder.Player, error) {
	search, err := named.Search(net.Compile(kernel.Backend{}, n.weights).MACs())
	if err != nil {
		return ladder.Player{}, err
	}
	return ladder.NewNetworkPlayer(named.Network+named.Settings, n.weights, search)
}

// openLadder returns the ladder of a game, from a folder if one is named.
func openLadder(folder string, game env.Game) (*ladder.Ladder, error) {
	if folder == "" {
		return ladder.Find(game)
	}
	folder, err := systemPath(folder)
	if err != nil {
		return nil, err
	}
	return ladder.Open(disk.OS{}, folder, game)
}
