package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net/kernel"
)

// cardOptions are the flags of tiro card.
type cardOptions struct {
	out       string
	anchors   string
	yardstick string
	games     int
	sims      int
	curve     int
	opening   int
	seed      uint64
	workers   int
	backend   kernel.Backend
	disk      disk.FS // that the card is written to
}

// maxPoints bounds the learning curve.
const maxPoints = 100

func cardCommand(fsys disk.FS) *cobra.Command {
	o := cardOptions{disk: fsys}
	cmd := &cobra.Command{
		Use:   "card RUN_OR_CHECKPOINT --out FOLDER",
		Short: "Rate a trained network, and write down how it was made",
		Long: `Card lets the network of a run (its newest checkpoint) or of a checkpoint meet
fixed players, and checkpoints on the way to it a yardstick and each other. It
writes a folder: weights.safetensors, what plays; card.json, what there is to say
of it; and card.md, the same for people, with the commands that make it again.

That takes many matches. Each is kept when it is finished, in matches.json until
the card is there: Ctrl-C loses the one under way, and the same command goes on.
A match that the folder's card already tells of is not played again, unless
another version of the program played it. Networks are read before the first
match: the run may go on.

With more than two seats the network takes one and its opponent the others.
Unless named with --anchors, the opponents are random, greedy, alphabeta:2,
alphabeta:4, mcts:200 and mcts:2000, and where a turn may be several actions or
there are more than two seats random, greedy, mcts:200 and mcts:1000; of a game
without a score those that need none.`,
		Example: `  tiro card runs/coerceo --out coerceo
  tiro card runs/pacru/checkpoints/000100 --out pacru-100 --games 100 --anchors random,mcts:1000`,
		Args: args("RUN_OR_CHECKPOINT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCard(cmd, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "`FOLDER` to write")
	f.StringVar(&o.anchors, "anchors", "", "fixed players to meet, separated by commas (default by game)")
	f.StringVar(&o.yardstick, "yardstick", "mcts:200", "fixed player that all points of the learning curve meet")
	f.IntVar(&o.games, "games", 200, "games of a match, half as many for the learning curve; rounded up to whole openings")
	f.IntVar(&o.sims, "sims", playSimulations, "simulations a move of the networks")
	f.IntVar(&o.curve, "curve", 8, "points of the learning curve, of the checkpoints that the run keeps for good; 0 for none")
	f.IntVar(&o.opening, "opening", 4, "random actions at the start of each game")
	f.Uint64Var(&o.seed, "seed", 1, "of everything random in the matches")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "games at a time; they change nothing but the time")
	backendVar(cmd, &o.backend)
	return cmd
}

// check reports flags that make no sense.
func (o *cardOptions) check() error {
	switch {
	case o.out == "":
		return usage(errors.New("--out is missing; want the folder to write"))
	case o.games < 1 || o.games > maxCardGames:
		return usage(fmt.Errorf("--games %d; want 1 to %d", o.games, maxCardGames))
	case o.sims < 1 || o.sims > arena.MaxSimulations:
		return usage(fmt.Errorf("--sims %d; want 1 to %d", o.sims, arena.MaxSimulations))
	case o.curve < 0 || o.curve > maxPoints:
		return usage(fmt.Errorf("--curve %d; want 0 to %d", o.curve, maxPoints))
	case o.opening < 0:
		return usage(fmt.Errorf("--opening %d; want 0 or more", o.opening))
	case o.workers < 1 || o.workers > maxThreads:
		return usage(fmt.Errorf("--workers %d; want 1 to %d", o.workers, maxThreads))
	}
	return nil
}

// maxCardGames bounds a match.
const maxCardGames = 1_000_000

func runCard(cmd *cobra.Command, path string, o cardOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := openSubject(path)
	if err != nil {
		return err
	}
	if o.anchors == "" {
		o.anchors = strings.Join(defaultAnchors(s.game), ",")
	}
	anchors, err := fixedPlayers(s.game, strings.Split(o.anchors, ","))
	if err != nil {
		return fmt.Errorf("--anchors: %w", err)
	}
	yardstick, err := fixedPlayers(s.game, []string{o.yardstick})
	if err != nil {
		return fmt.Errorf("--yardstick: %w", err)
	}
	c, err := s.card(o.commandLine(s.game))
	if err != nil {
		return err
	}
	c.Rated = card.Conditions{
		Tiro: build(), Machine: processor(), Backend: o.backend.Name(), Simulations: o.sims, Opening: o.opening, Seed: o.seed,
	}
	r, err := newRater(cmd, &o, s, c.Rated)
	if err != nil {
		return err
	}
	if err := r.rate(cmd.Context(), &c, anchors, yardstick[0]); err != nil {
		if errors.Is(err, context.Canceled) {
			r.meter.log.Info("stopped, the finished matches are kept; the same command goes on", "matches", len(r.kept.Matches))
		}
		return err
	}
	if err := r.finish(c); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, generation %d\n", filepath.Join(o.out, bundled.MarkdownFile), c.Game, c.Generation)
	return nil
}

// commandLine returns the command that makes a card of the same run with the
// same flags, where the run has its usual folder.
func (o *cardOptions) commandLine(game env.Game) string {
	return shellLine("tiro", "card", filepath.ToSlash(defaultRun(game)), "--out", "card", "--anchors", o.anchors, "--yardstick", o.yardstick,
		"--games", strconv.Itoa(o.games), "--sims", strconv.Itoa(o.sims), "--curve", strconv.Itoa(o.curve),
		"--opening", strconv.Itoa(o.opening), "--seed", strconv.FormatUint(o.seed, 10))
}

// shellLine returns words as a shell reads them.
func shellLine(words ...string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=:,./@%", r))
	}
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// defaultAnchors returns the players that a network is rated against if none are
// named. Depths of alphabeta are actions, not turns, and mean little where a
// turn is several.
func defaultAnchors(game env.Game) []string {
	start := game.New()
	anchors := []string{"random", "greedy", "alphabeta:2", "alphabeta:4", "mcts:200", "mcts:2000"}
	if _, turns := start.(env.Turner); turns || game.Spec().Players > 2 {
		anchors = []string{"random", "greedy", "mcts:200", "mcts:1000"}
	}
	if _, scored := start.(env.Scorer); !scored {
		anchors = slices.DeleteFunc(anchors, func(name string) bool { return name == "greedy" || strings.HasPrefix(name, "alphabeta") })
	}
	return anchors
}

// fixedPlayers returns the players that names stand for, none of them a network
// and none of them twice.
func fixedPlayers(game env.Game, names []string) (players []contender, err error) {
	for i, name := range names {
		maker, err := arena.ParsePlayer(game, name)
		if err != nil {
			return nil, usage(err)
		}
		if slices.Contains(names[:i], name) {
			return nil, usage(fmt.Errorf("%q is named twice", name))
		}
		players = append(players, contender{name: name, key: name, maker: maker})
	}
	return players, nil
}
