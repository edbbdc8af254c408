package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/arena/level"
	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/study/ladder"
)

// ladderOptions are the flags of tiro ladder.
type ladderOptions struct {
	catalog
	ladder.Making
	players  []string
	networks []string
}

func ladderCommand(games catalog, fsys disk.FS) *cobra.Command {
	o := ladderOptions{catalog: games}
	o.Disk = fsys
	cmd := &cobra.Command{
		Use:   "ladder GAME --out FOLDER --player PLAYER --player PLAYER…",
		Short: "Make the ladder of a game, for tiro rate",
		Long: `Ladder plays the matches of the reference players of a game and writes them to a
folder, which tiro rate --ladder reads. The ladders of the program are made so, and
lie in study/ladder/ladders in its sources.

Name the players from weak to strong, 100 to 200 Elo apart. Each meets the next one
in --games games and the one after that in half as many. A player is one of tiro
match that needs no network, or NETWORK,sims=N with bundled or a --network.

Each batch of a dozen games is kept: Ctrl-C loses only the games in progress, and the
same command resumes. With more games or more players, or with fewer players, it
changes the ladder and plays only what is missing. All settings of a search are
written down, and networks are known by their checksums.`,
		Example: `  tiro ladder connect4 --out c4 --player greedy --player mcts:200 --player alphabeta:6 --anchor mcts:200
  tiro ladder coerceo --out coerceo --network early=runs/coerceo/checkpoints/000004 --player greedy --player early,sims=64 --player bundled,sims=64`,
		Args:              args("GAME"),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, args []string) error { return runLadder(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "out", "", "`FOLDER` to write")
	f.StringArrayVar(&o.players, "player", nil, "a reference `PLAYER`; may be given several times, from weak to strong")
	f.StringArrayVar(&o.networks, "network", nil, "a network for players, `NAME=RUN_OR_FILE`; may be given several times")
	f.StringVar(&o.Anchor, "anchor", "mcts:200", "the `PLAYER` whose rating is 0")
	f.IntVar(&o.Games, "games", 96, "games of players next to each other, half as many of those two apart")
	f.IntVar(&o.Opening, "opening", 4, "random actions at the start of each game")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of all randomness")
	workersVar(cmd, &o.Workers)
	backendVar(cmd, &o.Backend)
	return cmd
}

func runLadder(cmd *cobra.Command, name string, o ladderOptions) (err error) {
	if o.Game, err = o.newGame(name); err != nil {
		return err
	}
	if err := cmp.Or(
		unless(o.Dir != "", "--out is missing; want the folder to write"),
		unless(len(o.players) >= 2, "--player: %d given; want two or more", len(o.players)),
		inRange("--games", o.Games, 1, maxCardGames),
		inRange("--opening", o.Opening, 0, o.Game.Spec().MaxPlies),
		inRange("--workers", o.Workers, 1, maxThreads),
	); err != nil {
		return err
	}
	if err := o.open(); err != nil {
		return err
	}
	o.Tiro = build()
	meter := newMeter(cmd.ErrOrStderr())
	o.Progress = ladderProgress(meter)
	l, err := ladder.Make(cmd.Context(), o.Making)
	if errors.Is(err, context.Canceled) {
		meter.log.Info(keptBatches)
	}
	if err != nil {
		return err
	}
	report, err := ladder.Rate(cmd.Context(), ladder.Rating{Ladder: l, Game: o.Game, Games: 1, Error: math.MaxFloat64, Workers: 1, Backend: o.Backend})
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), report)
	return nil
}

// open reads the networks and works out the players.
func (o *ladderOptions) open() error {
	for _, text := range o.networks {
		name, path, ok := strings.Cut(text, "=")
		if !ok {
			return usage(fmt.Errorf("--network %s; want NAME=RUN_OR_FILE", text))
		}
		if err := o.addNetwork(name, path); err != nil {
			return err
		}
	}
	for _, text := range o.players {
		p, err := o.player(text)
		if err != nil {
			return err
		}
		o.Players = append(o.Players, p)
	}
	return nil
}

// player returns the reference player that an argument names.
func (o *ladderOptions) player(text string) (p ladder.Player, err error) {
	if arena.IsPlayer(text) {
		_, err := arena.ParsePlayer(o.Game, text)
		return ladder.Player{Name: text}, usage(err)
	}
	if text, err = level.Expand(o.Game.Spec().Name, text); err != nil {
		return p, usage(err)
	}
	named, err := arena.ParseNetwork(arena.MatchSimulations, text)
	if err != nil {
		return p, usage(fmt.Errorf("--player %s: %w", text, err))
	}
	name := named.Network
	if name == bundledName && o.network(name) == nil {
		if err := o.addNetwork(bundledName, bundledName); err != nil {
			return p, err
		}
	}
	n := o.network(name)
	if n == nil {
		return p, usage(fmt.Errorf("--player %s; want a player without a network, or %s or a --network, with settings", text, bundledName))
	}
	p, err = networkPlayer(named, network{weights: n.Weights})
	return p, usage(err)
}

// network returns the network of a name, or nil.
func (o *ladderOptions) network(name string) *ladder.NetworkWeights {
	for i := range o.Networks {
		if o.Networks[i].Name == name {
			return &o.Networks[i]
		}
	}
	return nil
}

// addNetwork reads a network that players search with.
func (o *ladderOptions) addNetwork(name, path string) error {
	n, err := o.openFor(o.Game, path)
	if err != nil {
		return err
	}
	checksum, err := n.weights.Checksum()
	if err != nil {
		return err
	}
	origin, err := o.originOf(o.Game, n, path)
	o.Networks = append(o.Networks, ladder.NetworkWeights{
		Network: ladder.Network{Name: name, SHA256: checksum, Origin: origin}, Weights: n.weights,
	})
	return err
}

// originOf says where a network comes from: the commands that train it, if they are
// known, but no path of this machine.
func (c catalog) originOf(game env.Game, n network, path string) (string, error) {
	if isBundled(path) {
		return n.String(), nil
	}
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil || place.Run == "" {
		return "a weights file for " + game.Spec().Name, err
	}
	folder := rundir.At(disk.OS{}, place.Run)
	config, err := recipe.Read(folder)
	if err != nil {
		return "", err
	}
	origins, err := recipe.Origins(folder)
	if err != nil {
		return "", err
	}
	commands, _, err := c.lineage(origins, config, place.Generation)
	return strings.Join(commands, " && "), err
}
