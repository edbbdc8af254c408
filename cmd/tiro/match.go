package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/env"
	"tiro/net/kernel"
)

// matchOptions are the flags of tiro match.
type matchOptions struct {
	players [env.MaxPlayers]string
	games   int
	seed    uint64
	workers int
	opening int
	json    string
	backend kernel.Backend

	adjudicate float64
	maxPlies   int
}

func matchCommand() *cobra.Command {
	var o matchOptions
	cmd := &cobra.Command{
		Use:   "match GAME --a PLAYER --b PLAYER [--c PLAYER [--d PLAYER]]",
		Short: "Let players meet and say who is stronger",
		Long: `Match plays games between A and B and prints A's results, with a 95% interval of
the Elo difference. Each opening, a few random actions, is played from every
seat. The same seed gives the same games, for any number of workers.

In a game of three or four, C and D may play too; the last one named takes all
the seats that are left. Each opening is played with the players seated in every
way there is, and the report shows first places and a rating for each.

With --adjudicate a game that its players agree on is not played to its end; one
in ten is all the same, and the report says how many of those ended otherwise.

Players:
  random                     any legal action
  greedy                     the best position one action ahead, by the game's score
  alphabeta:DEPTH            looks DEPTH actions ahead, by the game's score
  mcts:SIMULATIONS           searches with random playouts
  net:RUN_OR_FILE[,sims=N]   searches with a network, N simulations a move (64)
  net:bundled[,sims=N]       the same with the bundled model for GAME`,
		Example: `  tiro match coerceo --a net:runs/coerceo --b random --games 100
  tiro match coerceo --a net:runs/coerceo/checkpoints/000040 --b net:runs/coerceo/checkpoints/000000
  tiro match connect4 --a mcts:400 --b alphabeta:4 --games 50 --json result.json
  tiro match pacru:players=4 --a net:runs/pacru4 --b random --games 200
  tiro match shacru:players=3 --a net:runs/shacru3 --b mcts:400 --c random`,
		Args:              args("GAME"),
		ValidArgsFunction: completeGame,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMatch(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	for i, ordinal := range [...]string{"first", "second", "third", "fourth"} {
		f.StringVar(&o.players[i], playerFlag(i), "", ordinal+" player")
	}
	f.IntVar(&o.games, "games", 0, "games to play, a multiple of the ways to seat the players (default 100 or a few more)")
	f.Uint64Var(&o.seed, "seed", 1, "of everything random")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "games at a time")
	f.IntVar(&o.opening, "opening", 4, "random actions at the start of each game")
	f.Float64Var(&o.adjudicate, "adjudicate", 0, "give a game to a seat that all players that search, not only the one on it, promise this payoff, such as 0.95, three moves in a row")
	f.IntVar(&o.maxPlies, "max-plies", 0, "a game of so many actions is a draw (default no limit)")
	f.StringVar(&o.json, "json", "", "write the report with all games to this file")
	backendVar(cmd, &o.backend)
	return cmd
}

// playerFlag returns the name of the flag for player i.
func playerFlag(i int) string { return string(rune('a' + i)) }

// playOut is the probability that a game is played to its end though it could
// be adjudicated, which measures how often adjudication is wrong.
const playOut = 0.1

// defaultGames is how many games are played, if it is not said; it is rounded
// up to whole groups.
const defaultGames = 100

// makers returns the makers of the players that the flags name.
func (o *matchOptions) makers(game env.Game) ([]arena.PlayerFactory, error) {
	if o.players[0] == "" || o.players[1] == "" {
		return nil, usage(errors.New("--a and --b name the players; both are needed"))
	}
	var makers []arena.PlayerFactory
	for i, name := range o.players {
		if name == "" {
			continue
		}
		if len(makers) < i {
			return nil, usage(fmt.Errorf("--%s is given, but not --%s", playerFlag(i), playerFlag(i-1)))
		}
		maker, err := parsePlayer(game, computing{o.backend, 1}, name)
		if err != nil {
			return nil, err
		}
		makers = append(makers, maker)
	}
	return makers, nil
}

// standingText says how a match stands, from the first player's point of view if
// there are two.
func standingText(p arena.Progress) string {
	if a := p.Players[0]; len(p.Players) == 2 {
		return fmt.Sprintf("(+%d =%d -%d)", a.Wins, a.Draws, a.Losses)
	}
	wins := make([]string, len(p.Players))
	for i, t := range p.Players {
		wins[i] = strconv.Itoa(t.Wins)
	}
	return fmt.Sprintf("(wins %s)", strings.Join(wins, ":"))
}

func runMatch(cmd *cobra.Command, name string, o matchOptions) error {
	if o.workers < 1 || o.workers > maxThreads {
		return usage(fmt.Errorf("--workers %d; want 1 to %d", o.workers, maxThreads))
	}
	game, err := newGame(name)
	if err != nil {
		return err
	}
	m := arena.Match{Game: game, Games: o.games, Seed: o.seed, Workers: o.workers, Opening: o.opening}
	m.Adjudication = arena.Adjudication{Threshold: o.adjudicate, ConsecutiveMoves: 3, PlayOut: playOut, MaxPlies: o.maxPlies}
	if m.Players, err = o.makers(game); err != nil {
		return err
	}
	if !cmd.Flags().Changed("games") {
		m.Games = m.RoundUp(defaultGames)
	}
	if err := m.Validate(); err != nil {
		return usage(err)
	}
	if o.json != "" {
		if err := checkTarget(o.json); err != nil {
			return err
		}
	}
	meter := newMeter(cmd.ErrOrStderr())
	meter.begin("match", "games", m.Games)
	m.Progress = func(p arena.Progress) {
		meter.set(p.Done, standingText(p))
	}
	report, err := arena.Play(cmd.Context(), m)
	meter.end()
	if report.Games > 0 {
		fmt.Fprint(cmd.OutOrStdout(), report)
	}
	if o.json == "" || report.Games == 0 {
		return err
	}
	return errors.Join(err, saveJSON(o.json, report))
}
