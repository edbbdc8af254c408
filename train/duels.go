package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
	"tiro/models/card"
	"tiro/net"
	"tiro/player"
	"tiro/recipe"
	"tiro/rundir"
)

// Limits of duels.
const (
	maxDuelGames  = 40 // games against each opponent
	maxDuelPlies  = 2  // a game is drawn after this multiple of self-play's mean plies
	duelOpening   = 4  // random actions at the start of a game
	duelPositions = 16 // positions in a batch of an evaluator
)

// opponent is an opponent of the newest network in duels.
type opponent struct {
	name        string
	player      player.Factory
	simulations int            // per move
	rating      *rundir.Rating // nil if unknown
}

// duels plays the duels of the new network against the anchor, the newest earlier checkpoint that
// is kept forever, and the weights with which the run began: the random weights of its seed and
// network or, in a warm start, a model. The number of games follows from the share of duels. It
// then rates the network. Duels depend only on the configuration and the generation's metrics, so
// that an interrupted run has the same duels. Interrupted duels are played again.
func (r *run) duels(ctx context.Context, m *rundir.Metrics) error {
	if !r.Config.Duels.Due(m.Generation) {
		return nil
	}
	opponents, err := r.opponents(m.Generation)
	if err != nil {
		return fmt.Errorf("duels: %w", err)
	}
	match, games := r.duel(m, opponents)
	if games == 0 {
		return nil
	}
	began := r.Clock()
	network, err := r.network(generationName(m.Generation), r.learner.inference(), m.Simulations)
	if err != nil {
		return fmt.Errorf("duels: %w", err)
	}
	r.Events.send(Phase{Name: PhaseDuels, Total: games * len(opponents)})
	defer r.Events.send(PhaseEnded{})
	var rated []met
	for i, o := range opponents {
		match.Players = []player.Factory{network.player, o.player}
		match.Seed = r.draws(m.Generation, i, drawDuels).Uint64()
		report, err := arena.Play(ctx, match)
		if err != nil {
			return fmt.Errorf("duel against %s: %w", o.name, err)
		}
		d := newDuel(o.name, &report.Players[0].Result)
		m.Duels = append(m.Duels, d)
		if o.rating != nil {
			rated = append(rated, met{*o.rating, d.Games, d.Points})
		}
	}
	m.Rating = rate(r.Game.Spec().Players, rated)
	m.Machine.DuelSeconds = r.since(began)
	return nil
}

// opponents returns the opponents of a generation's network.
func (r *run) opponents(generation int) (all []opponent, err error) {
	c := &r.Config
	simulations := c.Selfplay.Simulations(generation)
	anchor, err := player.Plain(r.Game, c.Duels.Anchor)
	if err != nil {
		return nil, err
	}
	all = append(all, opponent{name: c.Duels.Anchor, player: anchor, simulations: c.Duels.AnchorSimulations()})
	if kept := c.Checkpoints.KeptBefore(generation); kept > 0 {
		if all, err = r.addCheckpoint(all, kept, simulations); err != nil {
			return nil, err
		}
	}
	origins, err := recipe.Origins(r.folder.Folder)
	if err != nil {
		return nil, err
	}
	if card.Before(origins) > 0 {
		return r.addCheckpoint(all, 0, simulations)
	}
	first, err := r.network(generationName(0), c.InitialWeights(r.Game.Spec()).Inference(), simulations)
	first.rating = &rundir.Rating{}
	return append(all, first), err
}

// addCheckpoint adds an earlier checkpoint to the opponents if it exists.
func (r *run) addCheckpoint(all []opponent, generation, simulations int) ([]opponent, error) {
	checkpoint, err := r.store.Load(generation)
	switch {
	case err == nil:
		o, err := r.network(generationName(generation), checkpoint.Weights, simulations)
		if err != nil {
			return nil, err
		}
		if generation == 0 {
			o.rating = &rundir.Rating{}
		} else if _, before, err := rundir.ReadCheckpoint(checkpoint); err == nil { // without metrics the rating stays unknown
			o.rating = before.Rating
		}
		return append(all, o), nil
	case errors.Is(err, fs.ErrNotExist): // removed for lack of disk space
	case rundir.MayBeIntact(err):
		return nil, err
	default:
		r.Events.Warn("no duel against the damaged checkpoint", "generation", generation, "reason", err)
	}
	return all, nil
}

// generationName returns the displayed name of a generation's network.
func generationName(generation int) string { return fmt.Sprintf("generation %d", generation) }

// network returns a player that searches with weights w as self-play does, but without noise.
func (r *run) network(name string, w *net.Weights, simulations int) (opponent, error) {
	model := net.CompileFor(r.Backend, w)
	evaluator := func() mcts.Evaluator { return model.NewEvaluator(r.Game, max(duelPositions, net.Batch(r.Backend)), 1) }
	factory, err := player.Searching(name, r.Game, duelSearch(&r.Config, simulations), 0, player.Network{Evaluator: evaluator, Batch: net.Batch(r.Backend)})
	return opponent{name: name, player: factory, simulations: simulations}, err
}

// duelSearch returns the search of the networks in duels.
func duelSearch(c *recipe.Config, simulations int) mcts.Config {
	search := c.Selfplay.Search
	search.Simulations, search.RootNoise = simulations, false
	return search
}

// duel returns the match of a generation, without players and seed, and its number of games. The
// number is chosen so that the duels against all opponents take at most their share of the
// simulations of self-play since the last duels, even if all games have the maximum length. These
// are estimated from the newest generation.
func (r *run) duel(m *rundir.Metrics, opponents []opponent) (match arena.Match, games int) {
	d, seats := &r.Config.Duels, r.Game.Spec().Players
	plies := int(math.Ceil(maxDuelPlies * m.MeanPlies))
	match = arena.Match{
		Game: r.Game, Workers: r.Workers, Opening: min(duelOpening, plies/8+1, r.Game.Spec().MaxPlies),
		Adjudication: arena.Adjudication{MaxPlies: plies},
		Progress:     func(arena.Progress) { r.Events.send(Advanced{Steps: 1}) },
		Players:      []player.Factory{opponents[0].player, opponents[0].player},
	}
	fewest := min(m.Simulations, r.Config.Selfplay.Simulations(max(1, m.Generation-d.Every+1)))
	room := d.Share * float64(d.Every) * float64(m.Samples) * float64(fewest)
	cost := 0 // simulations of a game against each opponent, multiplied by seats
	for _, o := range opponents {
		cost += plies * (m.Simulations + (seats-1)*o.simulations)
	}
	group := match.Group()
	groups := min(maxDuelGames, int(room*float64(seats)/float64(cost))) / group
	match.Games = groups * group
	return match, match.Games
}

// newDuel returns the result of a network's duel.
func newDuel(name string, r *arena.Result) rundir.Duel {
	thousandths := func(x float64) float64 { return math.Round(1000*x) / 1000 }
	return rundir.Duel{
		Opponent: name, Games: r.Games, Wins: r.Wins, Draws: r.Draws, Losses: r.Losses,
		Points: thousandths(r.Points), Low: thousandths(r.Score.Low), High: thousandths(r.Score.High),
	}
}

// checkDuels returns an error unless the anchor can play the game.
func checkDuels(game env.Game, d *recipe.Duels) error {
	if d.Share == 0 {
		return nil
	}
	if _, err := player.Plain(game, d.Anchor); err != nil {
		return fmt.Errorf("duels.anchor: %w", err)
	}
	return nil
}

// duelBytes returns the maximum memory of duels.
func duelBytes(o *Options) int64 {
	c, spec := &o.Config, o.Game.Spec()
	if c.Duels.Share == 0 {
		return 0
	}
	tree := duelSearch(c, c.Selfplay.MaxSimulations()).Bytes(o.Game)
	other := tree
	if n := c.Duels.AnchorSimulations(); n > 0 {
		anchor := player.RolloutConfig()
		anchor.Simulations = n
		other = max(other, anchor.Bytes(o.Game))
	}
	workers := min(o.Workers, maxDuelGames)
	slots := int64(min(arena.DefaultConcurrentGames, (maxDuelGames+workers-1)/workers))
	trees := slots * (tree + int64(spec.Players-1)*other)
	evaluators := 2 * c.Net.EvaluatorBytes(spec, duelPositions)
	weights := int64(c.Net.Parameters(spec)) * numberBytes
	return int64(workers)*(trees+evaluators) + 3*c.Net.ModelBytes(spec) + 2*weights
}
