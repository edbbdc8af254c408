package player

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

	shareable bool // several games may share what evaluator returns, which no tree depends on

	limit timeLimit
}

var (
	_ NewGamer = (*Searcher)(nil)
	_ Analyzer = (*Searcher)(nil)
	_ Counter  = (*Searcher)(nil)
)

// NewSearcher returns a player that evaluates positions with e, which nobody
// else may use from then on.
func NewSearcher(name string, game env.Game, c mcts.Config, e mcts.Evaluator) (*Searcher, error) {
	return newSearcher(name, game, c, timeLimit{}, func(*rand.Rand) mcts.Evaluator { return e })
}

// timedTree bounds the tree of a player with a time a move, in bytes.
const timedTree = 256 << 20

// bounded returns c with a bounded tree if a time ends its searches.
func (l timeLimit) bounded(game env.Game, c mcts.Config) mcts.Config {
	if l.budget.Timed() && c.MaxNodes == 0 {
		return c.Within(game, timedTree)
	}
	return c
}

func newSearcher(name string, game env.Game, c mcts.Config, limit timeLimit, evaluator func(*rand.Rand) mcts.Evaluator) (*Searcher, error) {
	search, err := mcts.New(game, limit.bounded(game, c))
	if err != nil {
		return nil, fmt.Errorf("player %s: %w", name, err)
	}
	return &Searcher{name: name, search: search, evaluator: evaluator, limit: limit, drawn: -1}, nil
}

// Shareable returns the player's evaluator if several games may share it, because no tree
// depends on it.
func (p *Searcher) Shareable() (e func() mcts.Evaluator, ok bool) {
	return func() mcts.Evaluator { return p.evaluator(nil) }, p.shareable
}

// SetEvaluator makes e the evaluator of all trees from the next one on.
func (p *Searcher) SetEvaluator(e mcts.Evaluator) {
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
			return fmt.Errorf("player %s: %w", p.name, err)
		}
	}
	for !p.search.Done() && !over() {
		if err := p.search.Step(ctx, p.current); err != nil {
			return fmt.Errorf("player %s: %w", p.name, err)
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
func (p *Searcher) Analysis() Analysis { return AnalysisOf(p.search, &p.result, p.Nodes()) }

// AnalysisOf returns what a search with result r has found by nodes simulations.
func AnalysisOf(search *mcts.Search, r *mcts.Result, nodes int) Analysis {
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
