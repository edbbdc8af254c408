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
	"tiro/player/clock"
)

// Default numbers of simulations per move of network players.
const (
	MatchSimulations = 64  // matches and ablations, which need many games
	PlaySimulations  = 400 // strong play, and the ratings of model cards
	ExamSimulations  = 600
)

// MaxSimulations is the maximum number of simulations per move.
const MaxSimulations = 1 << 24

// NetworkConfig returns the search configuration of network players in matches, ratings,
// exams, play and the engine. The search has no noise. It uses the improved policy even at the
// root, so that it can end at any time. docs/measurements/search.md documents the tuning of
// its constants.
func NetworkConfig(simulations int) mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise, c.Simulations = mcts.RootImproved, false, simulations
	c.Gumbel = mcts.Gumbel{MaxConsideredActions: c.Gumbel.MaxConsideredActions, VisitScale: 1000, ValueScale: 0.08, ValueSpread: 0.075}
	return c
}

// RolloutConfig returns the search configuration of players that evaluate positions with
// random playouts. It has a PUCT root without noise, because a Gumbel root would select a few
// actions by their prior, which is uniform here. The variance of playouts requires more
// exploration than a network: in Connect Four mcts:400 scores 24%, 40%, 43%, 42% and 37%
// against alphabeta:5 with a CPUCT of 0.6, 1.25, 2.5, 5 and 10 (100 games for the first two,
// 200 for the others).
func RolloutConfig() mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise = mcts.RootPUCT, false
	c.PUCT.CPUCT = 2.5
	return c
}

// Searcher is a player that searches with mcts. It keeps the subtree of the current position
// from one move to the next.
type Searcher struct {
	timeLimit
	name      string
	search    *mcts.Search
	evaluator func(rng *rand.Rand) mcts.Evaluator // returns the evaluator of a new tree
	current   mcts.Evaluator                      // evaluator of the current tree
	history   []env.Action                        // actions that led to the root of the tree
	hasTree   bool
	kept      int // simulations through the root before this move
	result    mcts.Result

	temperature float64    // draws actions from the policy raised to 1/temperature; 0 plays the best action
	drawn       env.Action // action drawn by the last Think, -1 if none

	only      []env.Action // actions to consider; nil: all
	shareable bool         // whether several games may share an evaluator, because it does not depend on the tree
}

var (
	_ NewGamer = (*Searcher)(nil)
	_ Analyzer = (*Searcher)(nil)
	_ Counter  = (*Searcher)(nil)
	_ Clocked  = (*Searcher)(nil)
)

// NewSearcher returns a player that evaluates positions with e. The caller must not use e
// afterwards.
func NewSearcher(name string, game env.Game, c mcts.Config, e mcts.Evaluator) (*Searcher, error) {
	return newSearcher(name, game, c, timeLimit{}, func(*rand.Rand) mcts.Evaluator { return e })
}

// FurtherSimulations is the maximum number of simulations for each further action of a turn
// whose time is used. The search for the first action has already covered these actions.
const FurtherSimulations = 64

// timedTree is the maximum tree size of a player with a limit of time, in bytes.
const timedTree = 256 << 20

// bounded returns c with a bounded tree if there is a limit of time.
func (l timeLimit) bounded(game env.Game, c mcts.Config) mcts.Config {
	if l.timed() && c.MaxNodes == 0 {
		return c.Within(game, timedTree)
	}
	return c
}

func newSearcher(name string, game env.Game, c mcts.Config, limit timeLimit, evaluator func(*rand.Rand) mcts.Evaluator) (*Searcher, error) {
	search, err := mcts.New(game, limit.bounded(game, c))
	if err != nil {
		return nil, fmt.Errorf("player %s: %w", name, err)
	}
	return &Searcher{name: name, search: search, evaluator: evaluator, timeLimit: limit, drawn: -1}, nil
}

// Shareable returns a function that makes the player's evaluator, and whether several games
// may share that evaluator.
func (p *Searcher) Shareable() (e func() mcts.Evaluator, ok bool) {
	return func() mcts.Evaluator { return p.evaluator(nil) }, p.shareable
}

// SetEvaluator sets the evaluator of the next tree and all later ones.
func (p *Searcher) SetEvaluator(e mcts.Evaluator) {
	p.evaluator = func(*rand.Rand) mcts.Evaluator { return e }
}

// Name implements Player.
func (p *Searcher) Name() string { return p.name }

// NewGame implements NewGamer.
func (p *Searcher) NewGame() {
	p.hasTree = false
	if p.timeLimit.NewGame(); p.manager != nil && p.shareable {
		p.evaluator(nil) // makes the evaluator before the clock runs
	}
}

// SetManager makes m limit the time of the following moves. The caller begins their turns.
func (p *Searcher) SetManager(m *clock.Manager) { p.manager = m }

// Restrict makes the following moves consider only the given legal actions, or all actions if
// there are none.
func (p *Searcher) Restrict(only []env.Action) { p.only = only }

// opinion returns the state of the search.
func (p *Searcher) opinion() clock.Opinion {
	p.search.Result(&p.result)
	var best, second float32
	for _, x := range p.result.Policy {
		if x > best {
			best, second = x, best
		} else {
			second = max(second, x)
		}
	}
	if best == 0 {
		return clock.Opinion{Best: int(p.result.Best), Doubt: 1}
	}
	return clock.Opinion{Best: int(p.result.Best), Doubt: float64(second / best)}
}

// Choose implements Player.
func (p *Searcher) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	if err := p.Think(ctx, s, history, rng, nil); err != nil {
		return 0, err
	}
	p.refresh()
	return p.result.Best, nil
}

// refresh updates the result. If an action was drawn, it becomes the best action.
func (p *Searcher) refresh() {
	p.search.Result(&p.result)
	if p.drawn >= 0 {
		p.result.Best = p.drawn
	}
}

// SetTemperature sets the temperature for the following moves. Actions are drawn from the
// policy of the search raised to 1/temperature. With 0 the best action is played.
func (p *Searcher) SetTemperature(temperature float64) { p.temperature = temperature }

// Nodes implements Counter. It returns the simulations of the last move.
func (p *Searcher) Nodes() int { return p.simulations() - p.kept }

// Simulations returns the number of simulations per move.
func (p *Searcher) Simulations() int { return p.search.Simulations() }

// SetSimulations sets the number of simulations per move for the following moves.
func (p *Searcher) SetSimulations(n int) { p.search.SetSimulations(n) }

// Think searches like Choose, but does not return an action; the findings are available from
// Analysis. If ctx ends, Think returns its error wrapped, but at least s itself has been
// evaluated. watch, which may be nil, is called after every few simulations. With a
// temperature the action is drawn at the end.
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
	if p.manager != nil && p.manager.Continue() {
		n := p.Simulations()
		p.SetSimulations(min(n, FurtherSimulations))
		defer p.SetSimulations(n)
	}
	over, end := p.start(p.opinion)
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

// follow moves the root of the tree to s along the actions since the last move. If they do not
// lead to s, it starts a new tree.
func (p *Searcher) follow(s env.State, history []env.Action, rng *rand.Rand) {
	old := len(p.history)
	if p.hasTree && p.only == nil && len(history) > old && slices.Equal(history[:old], p.history) && p.advance(history[old:]) &&
		p.search.State().Hash() == s.Hash() {
		p.history = append(p.history, history[old:]...)
		p.kept = p.simulations()
		return
	}
	p.current, p.kept = p.evaluator(rng), 0
	p.search.StartAmong(s, rng, p.only)
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

// Analysis implements Analyzer. Its lines are all visited actions: the best action, then the
// others by visits.
func (p *Searcher) Analysis() Analysis { return AnalysisOf(p.search, &p.result, p.Nodes()) }

// AnalysisOf returns the findings of a search with result r after the given number of nodes.
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

// simulations updates the result and returns the total visits of the root actions.
func (p *Searcher) simulations() int {
	p.refresh()
	n := 0
	for _, visits := range p.result.Visits {
		n += int(visits)
	}
	return n
}
