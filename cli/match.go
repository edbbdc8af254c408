package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/cluster"
	"tiro/disk"
	"tiro/env"
	"tiro/net"
	"tiro/play"
	"tiro/player"
	"tiro/player/clock"
)

// matchOptions are the flags of tiro match.
type matchOptions struct {
	catalog
	players [env.MaxPlayers]string // of the flags --a to --d
	listed  []string               // players after the game, instead of the flags
	games   int
	seed    uint64
	workers int
	opening int
	starts  string
	json    string
	pgn     string
	backend net.Backend
	clock   clock.Control // of players without their own

	adjudicate float64
	maxPlies   int

	gauntlet bool

	sprt        []float64 // ELO0, ELO1; empty without a test
	alpha, beta float64
	records     string
	cluster     clusterOptions
}

func matchCommand(games catalog) *cobra.Command {
	o := matchOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "match GAME (--a PLAYER --b PLAYER [--c PLAYER [--d PLAYER]] | PLAYER…)",
		Short: "Play a match or a tournament and estimate which player is stronger",
		Long: `Match plays games between players A and B, and C and D in games with more seats. It prints
the score of each and the difference in Elo, with 95% intervals. Each opening, a few random
actions, is played from every seat. The same seed gives the same games with any --workers.
--openings FILE plays the openings in FILE instead, a line of moves or a position each.

More players than seats play a tournament: all against all, or with --gauntlet the first
against each other. --games is the number for each pair. The table has the rating of each
player and its points against the others.

--records FILE appends each game to FILE as it ends; the same command resumes, and more
games of the same players continue from FILE. tiro show prints the games.
--sprt ELO0,ELO1 ends the match as soon as the games decide a test. The test accepts A if its
rating is ELO1 above B, and rejects it if ELO0; --alpha and --beta limit the risks of error.
--adjudicate ends games early when the players agree on the winner; one in ten of these is
played out as a check.
--listen and --nats let tiro worker play the games on other machines (docs/CLUSTER.md).

Players:
  random                     plays a random action
  greedy                     plays the best action by the game's heuristic score
  alphabeta:DEPTH            looks DEPTH actions ahead, by the game's heuristic score
  stubborn:DEPTH             like alphabeta, but plays for a draw when behind
  mcts:SIMULATIONS           searches with random playouts
  net:RUN_OR_FILE[,sims=N]   searches with a network, N simulations a move (64)
  bundled[,sims=N]           searches with the bundled model for GAME
  ugi:COMMAND[,nodes=N]      another program that speaks UGI (docs/PROTOCOL.md)
  gtp:COMMAND[,time=T]       another program for Go or Othello that speaks GTP
Instead of DEPTH, SIMULATIONS or sims=N, the budget of an action may be macs=N, multiply-adds
of a network such as 250M; time=T, wall time such as 100ms; or cpu=T, CPU time (Linux).

--tc and --st give all players clocks, and tc=, st= and timemargin= a single one, as in
fastchess and cutechess: 10+0.1 is ten seconds for a game and a tenth of a second more for
each move, 40/60 a minute for each 40 moves. A player that exceeds its time forfeits the
game. Under a clock the budget is optional, and limits the search in addition.
Games with limits of time depend on the machine and cannot be reproduced. Use at most as many
--workers as there are cores.`,
		Example: `  tiro match coerceo --a net:runs/coerceo --b random --games 100
  tiro match coerceo --a net:runs/new --b net:runs/old --sprt 0,20 --records test.jsonl
  tiro match coerceo --a 'ugi:my-engine --level 3' --b bundled --tc 10+0.1
  tiro match connect4 bundled alphabeta:6 mcts:400 greedy --games 20 --records cup.jsonl
  tiro match shacru:players=3 --a net:runs/shacru3 --b mcts:400 --c random`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.listed = args[1:]
			return runMatch(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	for i, ordinal := range [...]string{"first", "second", "third", "fourth"} {
		f.StringVar(&o.players[i], playerFlag(i), "", ordinal+" `PLAYER`")
	}
	f.IntVar(&o.games, "games", 0, "games to play, a multiple of the ways to seat the players (default 100, rounded up to complete groups; with --sprt, at most four times the expected number)")
	f.Uint64Var(&o.seed, "seed", 1, "random seed")
	workersVar(cmd, &o.workers, 0)
	f.IntVar(&o.opening, "opening", 4, "random actions at the start of each game")
	f.StringVar(&o.starts, "openings", "", "begin games with the openings in this `FILE`, in order (docs/FORMATS.md)")
	f.BoolVar(&o.gauntlet, "gauntlet", false, "play the first player against each other one, instead of all against all")
	f.Float64Var(&o.adjudicate, "adjudicate", 0, "end a game as a win when all searching players expect at least this payoff (such as 0.95) for one seat, three moves in a row")
	f.IntVar(&o.maxPlies, "max-plies", 0, "a game of this many actions is a draw (default no limit)")
	f.Float64SliceVar(&o.sprt, "sprt", nil, "test whether A is rated ELO1 rather than ELO0 above B, for `ELO0,ELO1` such as 0,20")
	f.Lookup("sprt").DefValue = ""
	f.Float64Var(&o.alpha, "alpha", 0.05, "maximum probability that --sprt accepts A if A's true rating is ELO0 above B's")
	f.Float64Var(&o.beta, "beta", 0.05, "maximum probability that --sprt rejects A if A's true rating is ELO1 above B's")
	clockVar(cmd, &o.clock, "players")
	cmd.MarkFlagsMutuallyExclusive("tc", "st")
	f.StringVar(&o.records, "records", "", "append every game to this `FILE` when it ends, and resume from it")
	f.StringVar(&o.json, "json", "", "write the report, with all games, to this `FILE`")
	f.StringVar(&o.pgn, "pgn", "", "write the games as PGN to this `FILE`")
	backendVar(cmd, &o.backend)
	clusterVar(cmd, &o.cluster)
	cmd.MarkFlagsMutuallyExclusive("opening", "openings")
	cmd.MarkFlagsMutuallyExclusive("gauntlet", "sprt")
	return cmd
}

// playerFlag returns the name of the flag for player i.
func playerFlag(i int) string { return string(rune('a' + i)) }

// playOut is the probability that a game which could be adjudicated is played to its end
// instead. Such games measure the error rate of adjudication.
const playOut = 0.1

// defaultGames is the default number of games of a match, before rounding up to whole groups.
const defaultGames = 100

// texts returns the players of the command line.
func (o *matchOptions) texts() (all []string, err error) {
	for i, text := range o.players {
		switch {
		case text == "":
		case len(o.listed) > 0:
			return nil, fmt.Errorf("--%s cannot be combined with players after the game", playerFlag(i))
		case len(all) < i:
			return nil, fmt.Errorf("--%s requires --%s", playerFlag(i), playerFlag(i-1))
		default:
			all = append(all, text)
		}
	}
	if all = append(all, o.listed...); len(all) < 2 {
		return nil, errors.New("two players are required: --a PLAYER --b PLAYER, or PLAYER PLAYER after the game")
	}
	return all, nil
}

// factories returns the factories of the players that the command line describes. It writes notes on
// their networks to notes.
func (o *matchOptions) factories(game env.Game, notes io.Writer) (all []player.Factory, err error) {
	texts, err := o.texts()
	if err != nil {
		return nil, usage(err)
	}
	var specs []player.Spec
	for _, text := range texts {
		s, err := player.Defaults{Simulations: player.MatchSimulations, Clock: o.clock}.Parse(text)
		if err == nil && o.cluster.used() {
			err = s.Local()
		}
		if err != nil {
			return nil, usage(err)
		}
		specs = append(specs, s)
	}
	for _, s := range specs {
		f, err := o.opener(o.backend, 1, notes).make(game, s)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// mostOfExpected is the default limit on a test's games, in multiples of the expected number.
const mostOfExpected = 4

// gamesByDefault returns the number of games without --games. It respects the limit of games
// on workers even without workers, so that the report does not depend on them.
func gamesByDefault(m *arena.Match) int {
	if m.SPRT == nil {
		return m.RoundUp(defaultGames)
	}
	group := m.Group()
	return min(m.RoundUp(mostOfExpected*m.ExpectedGames().Between), cluster.MaxMatchGames/group*group)
}

// test sets the match's sequential test from the flags.
func (o *matchOptions) test(m *arena.Match, given func(flag string) bool) error {
	if !given("sprt") {
		return unless(!given("alpha") && !given("beta"), "--alpha and --beta require --sprt ELO0,ELO1")
	}
	if err := unless(len(o.sprt) == 2, "--sprt must be two numbers, ELO0,ELO1 as in 0,20, not %d", len(o.sprt)); err != nil {
		return err
	}
	m.SPRT = &arena.SPRT{Elo0: o.sprt[0], Elo1: o.sprt[1], Alpha: o.alpha, Beta: o.beta}
	return usage(m.SPRT.Validate())
}

// expectation returns a line about the expected length of the match's test.
func expectation(m *arena.Match) string {
	n := m.ExpectedGames()
	return fmt.Sprintf("sequential test: expected length %d games if A is %+g Elo above B, %d at %+g, %d in between; shorter with draws; at most %d",
		n.Elo0, m.SPRT.Elo0, n.Elo1, m.SPRT.Elo1, n.Between, m.Games)
}

// open opens the file of --records. It returns nil without --records.
func (o *matchOptions) open(game env.Game) (*arena.GameLog, error) {
	if o.records == "" {
		return nil, nil
	}
	path, err := disk.Path(o.records)
	if err != nil {
		return nil, err
	}
	return arena.OpenGameLog(disk.OS{}, path, game)
}

// builder identifies this program in the file of --records.
func (o *matchOptions) builder() arena.Builder {
	return arena.Builder{Tiro: build(), Backend: o.backend.Bits()}
}

// given sets the openings of --openings.
func (o *matchOptions) given(m *arena.Match) error {
	if o.starts == "" {
		return nil
	}
	m.Opening = 0
	path, err := disk.Path(o.starts)
	if err != nil {
		return err
	}
	data, err := disk.ReadFile(disk.OS{}, path, maxStarts)
	if err != nil {
		return err
	}
	if m.Starts, err = play.ReadStarts(m.Game, data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// maxStarts is the maximum size of a file of openings, in bytes.
const maxStarts = 64 << 20

// build returns the match that the options describe, without the cluster.
func (o *matchOptions) build(cmd *cobra.Command, game env.Game) (m arena.Match, err error) {
	m = arena.Match{
		Game: game, Games: o.games, Seed: o.seed, Workers: o.workers, Opening: o.opening, Clock: machineClock(),
		Adjudication: arena.Adjudication{Threshold: o.adjudicate, ConsecutiveMoves: 3, PlayOut: playOut, MaxPlies: o.maxPlies},
	}
	if m.Players, err = o.factories(game, cmd.ErrOrStderr()); err != nil {
		return m, err
	}
	if err := o.given(&m); err != nil {
		return m, err
	}
	if err := o.test(&m, cmd.Flags().Changed); err != nil {
		return m, err
	}
	if !cmd.Flags().Changed("games") {
		m.Games = gamesByDefault(&m)
	}
	if !o.cluster.used() {
		return m, nil
	}
	if err := unless(m.Games <= cluster.MaxMatchGames, "--games must be at most %d with --listen or --nats, not %d", cluster.MaxMatchGames, m.Games); err != nil {
		return m, err
	}
	for _, p := range m.Players {
		if _, _, err := p.Remote(); err != nil {
			return m, usage(err)
		}
	}
	return m, nil
}

// warnOfWorkers warns that players with limits of wall time share cores.
func warnOfWorkers(meter *meter, workers int, players []player.Factory) {
	timed := func(p player.Factory) bool { return p.Budget.Time > 0 || p.Clock.Limits() }
	if cores := runtime.GOMAXPROCS(0); workers > cores && slices.ContainsFunc(players, timed) {
		meter.log.Warn("more concurrent games than cores: players with a limit of time get less CPU time", "workers", workers, "cores", cores)
	}
}

// repeating is the warning about players that repeat their games.
const repeating = "without random openings these players repeat their games, and repeated games count once; use --opening N"

func runMatch(cmd *cobra.Command, name string, o matchOptions) (err error) {
	if err := cmp.Or(
		o.cluster.check(cmd, o.Table.New, o.workers),
	); err != nil {
		return err
	}
	game, err := o.newGame(name)
	if err != nil {
		return err
	}
	m, err := o.build(cmd, game)
	if err != nil {
		return err
	}
	meter := newMeter(cmd.ErrOrStderr())
	var closeCluster func()
	if m.Elsewhere, closeCluster, err = o.cluster.gameplayer(o.Table.New, o.workers, o.backend, meter); err != nil {
		return err
	}
	defer closeCluster()
	tournament := o.gauntlet || len(o.listed) > game.Spec().Players
	if !tournament {
		err = m.Validate()
	}
	if err != nil {
		return usage(err)
	}
	t, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer t.close()
	games, err := openTarget(cmd.Context(), o.pgn)
	if err != nil {
		return err
	}
	defer games.close()
	warnOfWorkers(meter, o.workers, m.Players)
	log, err := o.open(game)
	if err != nil {
		return err
	}
	if log != nil {
		defer func() { err = errors.Join(err, log.Close()) }()
	}
	if tournament {
		return o.playTournament(cmd, m, log, meter, t, games)
	}
	if log != nil {
		if err := log.Resume(&m, o.builder()); err != nil {
			return err
		}
		if n := len(m.Finished); n > 0 {
			meter.log.Info("resuming", "records", o.records, "games", n)
		}
	}
	if m.MayRepeat() {
		meter.log.Warn(repeating)
	}
	if m.SPRT != nil {
		meter.log.Info(expectation(&m))
	}
	meter.begin("match", "games", 0, m.Games)
	m.Progress = func(p arena.Progress) { meter.set(p.Done, p.String()) }
	report, err := arena.Play(cmd.Context(), m)
	meter.end()
	if log != nil && errors.Is(err, context.Canceled) {
		meter.log.Info(keptGames)
	}
	if report.Games == 0 {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprint(out, fold(report.String(), columns(out, math.MaxInt)))
	fmt.Fprint(meter, report.Efforts())
	return errors.Join(err, t.saveJSON(report), games.save(func(w io.Writer) error {
		var names []string
		for _, p := range report.Players {
			names = append(names, p.Name)
		}
		return writePGN(w, game, names, report.Records)
	}))
}
