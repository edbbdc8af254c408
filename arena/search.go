package arena

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"tiro/env"
	"tiro/mcts"
)

// Simulations a move of players with a network, unless others are asked for.
const (
	MatchSimulations = 64  // matches and ablations, which need many games
	PlaySimulations  = 400 // strong play, and the ratings of model cards
	ExamSimulations  = 600
)

// MaxSimulations is the largest number of simulations a move.
const MaxSimulations = 1 << 24

// Search is NetworkSearch with a network of which only the evaluator is known, and without
// a temperature.
func Search(name string, game env.Game, c mcts.Config, evaluator func() mcts.Evaluator) PlayerFactory {
	return NetworkSearch(name, game, c, 0, Network{Evaluator: evaluator})
}

// Rollouts makes players that search with a number of simulations a move and
// evaluate positions by random playouts.
func Rollouts(game env.Game, simulations int) PlayerFactory {
	return rollouts(strconv.Itoa(simulations), game, simulations, TimeLimit{})
}

// TimedRollouts is Rollouts with a time a move in place of the simulations.
func TimedRollouts(game env.Game, limit TimeLimit) PlayerFactory {
	return rollouts(limit.String(), game, MaxSimulations, limit)
}

// rollouts makes players called mcts:budget.
func rollouts(budget string, game env.Game, simulations int, limit TimeLimit) PlayerFactory {
	c := RolloutConfig()
	c.Simulations = simulations
	evaluator := func(rng *rand.Rand) mcts.Evaluator { return mcts.NewRollout(game, rng) }
	return func() (Player, error) {
		p, err := newTimedSearcher("mcts:"+budget, game, c, limit, evaluator)
		if err != nil {
			return nil, err
		}
		p.rollouts = true
		return p, nil
	}
}

// NetworkConfig returns the search of network players, in matches, ratings, exams,
// play and the engine: without noise, by the improved policy at the root too, so
// that it may end at any time. How its constants were tuned:
// docs/measurements/search.md.
func NetworkConfig(simulations int) mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise, c.Simulations = mcts.RootImproved, false, simulations
	c.Gumbel = mcts.Gumbel{MaxConsideredActions: c.Gumbel.MaxConsideredActions, VisitScale: 1000, ValueScale: 0.08, ValueSpread: 0.075}
	return c
}

// RolloutConfig returns the search of players that evaluate positions by random
// playouts. It has a PUCT root without noise, because a Gumbel root would drop
// all but a few actions by their prior, which is uniform here. Playouts vary so
// much that they need more exploration than a network: in Connect Four mcts:400
// scores 24%, 40%, 43%, 42% and 37% against alphabeta:5 with a CPUCT of 0.6,
// 1.25, 2.5, 5 and 10 (100 games for the first two, 200 for the others).
func RolloutConfig() mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise = mcts.RootPUCT, false
	c.PUCT.CPUCT = 2.5
	return c
}

// Searcher is a player that searches with mcts. From move to move it keeps the
// subtree of the position that was reached.
type Searcher struct {
	name      string
	search    *mcts.Search
	evaluator func(rng *rand.Rand) mcts.Evaluator // returns the evaluator of a new tree
	current   mcts.Evaluator                      // of this tree
	history   []env.Action                        // that led to the root of this tree
	hasTree   bool
	kept      int // simulations through the root before this move
	result    mcts.Result

	temperature float64    // draws actions from the policy raised to 1/temperature; 0: the best one
	drawn       env.Action // by the last Think, for lack of it -1

	shareable bool  // several games may share what evaluator returns, which no tree depends on
	treeBytes int64 // of the largest tree

	limit    TimeLimit
	config   mcts.Config
	rollouts bool    // it is one of Rollouts
	network  Network // zero if it has none, or none that is known
}

var (
	_ NewGamer = (*Searcher)(nil)
	_ Analyzer = (*Searcher)(nil)
	_ Counter  = (*Searcher)(nil)
)

// NewSearcher returns a player that evaluates positions with e, which nobody
// else may use from then on.
func NewSearcher(name string, game env.Game, c mcts.Config, e mcts.Evaluator) (*Searcher, error) {
	return newSearcher(name, game, c, func(*rand.Rand) mcts.Evaluator { return e })
}

func newSearcher(name string, game env.Game, c mcts.Config, evaluator func(*rand.Rand) mcts.Evaluator) (*Searcher, error) {
	search, err := mcts.New(game, c)
	if err != nil {
		return nil, fmt.Errorf("arena: player %s: %w", name, err)
	}
	return &Searcher{name: name, search: search, evaluator: evaluator, config: c, treeBytes: c.Bytes(game), drawn: -1}, nil
}

// timedTree bounds the tree of a player with a time a move, in bytes.
const timedTree = 256 << 20

// newTimedSearcher is newSearcher for a player whose moves end after a time, if limit
// has one.
func newTimedSearcher(name string, game env.Game, c mcts.Config, limit TimeLimit, evaluator func(*rand.Rand) mcts.Evaluator) (*Searcher, error) {
	if limit.Budget.timed() && c.MaxNodes == 0 {
		c = c.Within(game, timedTree)
	}
	p, err := newSearcher(name, game, c, evaluator)
	if err != nil {
		return nil, err
	}
	p.limit = limit
	return p, nil
}

// use makes e the evaluator of all trees.
func (p *Searcher) use(e mcts.Evaluator) {
	p.evaluator = func(*rand.Rand) mcts.Evaluator { return e }
}

// Name implements Player.
func (p *Searcher) Name() string { return p.name }

// NewGame implements NewGamer.
func (p *Searcher) NewGame() { p.hasTree = false }

// Choose implements Player.
func (p *Searcher) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	if err := p.Think(ctx, s, history, rng, nil); err != nil {
		return 0, err
	}
	p.refresh()
	return p.result.Best, nil
}

// refresh updates the result, whose best action is the one that was drawn, if one was.
func (p *Searcher) refresh() {
	p.search.Result(&p.result)
	if p.drawn >= 0 {
		p.result.Best = p.drawn
	}
}

// SetTemperature has actions drawn, from the next move on, from the policy of the search
// raised to 1/temperature. With 0 the best one is played.
func (p *Searcher) SetTemperature(temperature float64) { p.temperature = temperature }

// Nodes implements Counter: the simulations of the last move.
func (p *Searcher) Nodes() int { return p.simulations() - p.kept }

// TrainedFor returns the canonical game string that the player's network was
// trained for; without a network it is empty.
func (p *Searcher) TrainedFor() string { return p.network.TrainedFor }

// Simulations returns the number of simulations a move.
func (p *Searcher) Simulations() int { return p.search.Simulations() }

// SetSimulations sets the number of simulations from the next move on.
func (p *Searcher) SetSimulations(n int) { p.search.SetSimulations(n) }

// Think searches like Choose but takes no action. Analysis says what was found,
// also when the search was stopped by ctx, whose error is then returned wrapped:
// however soon that was, the evaluator has been asked about s. Watch, which may be
// nil, is called after every few simulations. With a temperature the action is drawn at the
// end.
func (p *Searcher) Think(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand, watch func()) error {
	p.drawn = -1
	err := p.think(ctx, s, history, rng, watch)
	if p.temperature > 0 {
		p.search.Result(&p.result)
		p.drawn = p.result.Sample(p.temperature, rng)
	}
	return err
}

func (p *Searcher) think(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand, watch func()) error {
	over, end := p.limit.start()
	defer end()
	p.follow(s, history, rng)
	if p.kept == 0 && !p.search.Done() {
		if err := p.search.Step(context.WithoutCancel(ctx), p.current); err != nil {
			return fmt.Errorf("arena: %s: %w", p.name, err)
		}
	}
	for !p.search.Done() && !over() {
		if err := p.search.Step(ctx, p.current); err != nil {
			return fmt.Errorf("arena: %s: %w", p.name, err)
		}
		if watch != nil {
			watch()
		}
	}
	return nil
}

// follow moves the root of the tree to s along the actions since the last move,
// or starts a new tree if they do not lead there.
func (p *Searcher) follow(s env.State, history []env.Action, rng *rand.Rand) {
	old := len(p.history)
	if p.hasTree && len(history) > old && slices.Equal(history[:old], p.history) && p.advance(history[old:]) &&
		p.search.State().Hash() == s.Hash() {
		p.history = append(p.history, history[old:]...)
		p.kept = p.simulations()
		return
	}
	p.current, p.kept = p.evaluator(rng), 0
	p.search.Start(s, rng)
	p.history = append(p.history[:0], history...)
	p.hasTree = true
}

// advance moves the root along actions and reports whether all were legal.
func (p *Searcher) advance(actions []env.Action) bool {
	for _, a := range actions {
		if env.CheckAction(p.search.State(), a) != nil {
			return false
		}
		p.search.Advance(a)
	}
	return true
}

// Analysis implements Analyzer. Its lines are all visited actions, the best one
// first, the others by visits.
func (p *Searcher) Analysis() Analysis { return analysisOf(p.search, &p.result, p.Nodes()) }

// analysisOf returns what a search with result r has found by so many simulations.
func analysisOf(search *mcts.Search, r *mcts.Result, nodes int) Analysis {
	t := Analysis{Value: r.Value, Nodes: nodes, Proven: r.Proven}
	for i, a := range r.Actions {
		if r.Visits[i] == 0 && a != r.Best {
			continue
		}
		line := Line{Actions: search.Variation(nil, a), Value: r.Value, Visits: int(r.Visits[i]), Prior: r.Prior[i]}
		if len(line.Actions) == 0 {
			line.Actions = []env.Action{a}
		}
		if v, visited := search.ActionValue(a); visited {
			line.Value = v
		}
		t.Lines = append(t.Lines, line)
	}
	rank := func(l Line) int {
		if l.Actions[0] == r.Best {
			return math.MaxInt
		}
		return l.Visits
	}
	slices.SortStableFunc(t.Lines, func(x, y Line) int { return cmp.Compare(rank(y), rank(x)) })
	return t
}

// simulations updates the result and returns the visits of all root actions.
func (p *Searcher) simulations() int {
	p.refresh()
	n := 0
	for _, visits := range p.result.Visits {
		n += int(visits)
	}
	return n
}
