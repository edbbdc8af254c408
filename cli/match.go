package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/arena/tournament"
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

More players than seats play a tournament: a round-robin, or with --gauntlet the first
against each of the others. --games is the number of games of each meeting. The table lists
each player's rating and its points against the others.

--records FILE appends each game to FILE as it ends; the same command resumes, and more
games of the same players continue from FILE. tiro show prints the games.
--sprt ELO0,ELO1 ends the match as soon as the games decide whether A is rated ELO1 above B
(A is accepted) or only ELO0 (A is rejected). --alpha and --beta limit the errors.
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

--tc and --st give clocks to all players without time= or cpu=, and tc=, st= and timemargin=
to a single one, as in fastchess and cutechess: 10+0.1 is ten seconds for a game and a tenth
of a second more for each move, 40/60 a minute for each 40 moves. A player that exceeds its
time forfeits the game. Under a clock the budget is optional, and limits the search in addition.
Games with limits of time depend on the machine and cannot be reproduced. Use at most as many
--workers as there are cores.`,
		Example: `  tiro match coerceo --a net:runs/coerceo --b random --games 100
  tiro match coerceo --a net:runs/new --b net:runs/old --sprt 0,20 --records test.jsonl
  tiro match coerceo --a 'ugi:my-engine --level 3' --b bundled --tc 10+0.1
  tiro match connect4 bundled alphabeta:6 mcts:400 greedy --games 20 --records cup.jsonl
  tiro match shacru:players=3 --a net:runs/shacru3 --b mcts:400 --c random`,
		Args: cobra.MinimumNArgs(1),
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
	f.BoolVar(&o.gauntlet, "gauntlet", false, "play the first player against each of the others, instead of a round-robin")
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
	return games.forGame(cmd, o.run)
}

// playerFlag returns the name of the flag for player i.
func playerFlag(i int) string { return string(rune('a' + i)) }

// playOut is the probability that a game which could be adjudicated is played to its end
// instead. Such games measure the error rate of adjudication.
const playOut = 0.1

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
	specs, err := o.cluster.players(texts, player.Defaults{Simulations: player.MatchSimulations, Clock: o.clock})
	if err != nil {
		return nil, err
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

// maxStarts is the maximum size of a file of openings, in bytes.
const maxStarts = 64 << 20

// match returns the match that the options describe, without the cluster.
func (o *matchOptions) match(cmd *cobra.Command, game env.Game) (m arena.Match, err error) {
	m = arena.Match{
		Game: game, Games: o.games, Seed: o.seed, Workers: o.workers, Opening: o.opening, Clock: machineClock(),
		Adjudication: arena.Adjudication{Threshold: o.adjudicate, ConsecutiveMoves: 3, PlayOut: playOut, MaxPlies: o.maxPlies},
	}
	if m.Players, err = o.factories(game, cmd.ErrOrStderr()); err != nil {
		return m, err
	}
	if o.starts != "" {
		data, err := readFile(o.starts, maxStarts)
		if err != nil {
			return m, err
		}
		m.Opening = 0
		if m.Starts, err = play.ReadStarts(game, data); err != nil {
			return m, fmt.Errorf("%s: %w", o.starts, err)
		}
		isGTP := func(p player.Factory) bool { return p.Kind == player.GTP }
		fromPosition := func(s arena.Start) bool { return s.Position != "" }
		if i := slices.IndexFunc(m.Starts, fromPosition); i >= 0 && slices.ContainsFunc(m.Players, isGTP) {
			return m, usage(fmt.Errorf("%s: opening %d begins at a position, but programs that speak GTP play only from the start of a game", o.starts, i+1))
		}
	}
	if err := o.test(&m, cmd.Flags().Changed); err != nil {
		return m, err
	}
	if !cmd.Flags().Changed("games") {
		m.Games = m.DefaultGames()
	}
	if !o.cluster.used() {
		return m, nil
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

func (o *matchOptions) run(cmd *cobra.Command, game env.Game, args []string) (err error) {
	o.listed = args[1:]
	if err := o.cluster.check(cmd, o.Table.New, o.workers); err != nil {
		return err
	}
	m, err := o.match(cmd, game)
	if err != nil {
		return err
	}
	meter := newMeter(cmd.ErrOrStderr())
	var closeCluster func()
	if m.Elsewhere, closeCluster, err = o.cluster.connect(o.backend, meter.log); err != nil {
		return err
	}
	defer closeCluster()
	t := tournament.Tournament{Match: m, Gauntlet: o.gauntlet, By: arena.Builder{Tiro: build(), Backend: o.backend.Bits()}}
	meetings, err := []tournament.Meeting{{Match: m}}, error(nil)
	many := o.gauntlet || len(o.listed) > game.Spec().Players
	switch {
	case many && m.SPRT != nil:
		err = errors.New("--sprt compares two players, and a tournament has more")
	case many:
		meetings, err = t.Meetings()
	default:
		err = m.Validate()
	}
	if err != nil {
		return usage(err)
	}
	json, err := openTarget(cmd.Context(), o.json)
	if err != nil {
		return err
	}
	defer json.close()
	pgn, err := openTarget(cmd.Context(), o.pgn)
	if err != nil {
		return err
	}
	defer pgn.close()
	warnOfWorkers(meter, o.workers, m.Players)
	if o.records != "" {
		var path string
		if path, err = disk.Path(o.records); err == nil {
			t.Log, err = arena.OpenGameLog(disk.OS{}, path, game)
		}
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, t.Log.Close()) }()
	}
	if slices.ContainsFunc(meetings, func(m tournament.Meeting) bool { return m.MayRepeat() }) {
		meter.log.Warn("without random openings these players repeat their games, and repeated games count once; use --opening N")
	}
	var report fmt.Stringer
	var matches []arena.Report
	if many {
		report, matches, err = playTournament(cmd.Context(), t, meetings, meter)
	} else {
		report, matches, err = o.playMatch(cmd.Context(), t, meter)
	}
	meter.end()
	if t.Log != nil {
		err = meter.kept(err)
	}
	if !slices.ContainsFunc(matches, func(r arena.Report) bool { return r.Games > 0 }) {
		return err
	}
	out := cmd.OutOrStdout()
	columns, _ := size(out, math.MaxInt)
	fmt.Fprint(out, fold(report.String(), columns))
	if !many {
		fmt.Fprint(meter, matches[0].Efforts())
	}
	return errors.Join(err, json.saveJSON(report), pgn.save(func(w io.Writer) error { return play.WritePGN(w, game, matches) }))
}

// playMatch plays a tournament that is a single match.
func (o *matchOptions) playMatch(ctx context.Context, t tournament.Tournament, meter *meter) (fmt.Stringer, []arena.Report, error) {
	m := t.Match
	if t.Log != nil {
		if err := t.Log.Resume(&m, t.By); err != nil {
			return nil, nil, err
		}
		if n := len(m.Finished); n > 0 {
			meter.log.Info("resuming", "records", o.records, "games", n)
		}
	}
	if m.SPRT != nil {
		n := m.ExpectedGames()
		meter.log.Info(fmt.Sprintf("sequential test: expected length %d games if A is %+g Elo above B, %d at %+g, %d in between; shorter with draws; at most %d",
			n.Elo0, m.SPRT.Elo0, n.Elo1, m.SPRT.Elo1, n.Between, m.Games))
	}
	meter.begin("match", "games", 0, m.Games)
	m.Progress = func(p arena.Progress) { meter.set(p.Done, p.String()) }
	report, err := arena.Play(ctx, m)
	return report, []arena.Report{report}, err
}

// playTournament plays a tournament of the given meetings.
func playTournament(ctx context.Context, t tournament.Tournament, meetings []tournament.Meeting, meter *meter) (fmt.Stringer, []arena.Report, error) {
	total := 0
	for i := range meetings {
		total += meetings[i].Games
	}
	done, began := 0, 0 // games of earlier meetings, and meetings
	t.Begun = func(next tournament.Meeting) func(arena.Progress) {
		began++
		var names []string
		for _, p := range next.Match.Players {
			names = append(names, p.String())
		}
		title, last := fmt.Sprintf("%d/%d %s", began, len(meetings), strings.Join(names, " vs ")), 0
		return func(p arena.Progress) {
			done, last = done+p.Done-last, p.Done
			meter.set(done, title+", "+p.String())
		}
	}
	meter.begin("tournament", "games", 0, total)
	report, err := tournament.Play(ctx, t)
	return report, report.Matches, err
}
