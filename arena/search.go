package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"tiro/env"
	"tiro/mcts"
)

// MaxSimulations is the largest number of simulations a move of mcts players.
const MaxSimulations = 1 << 24

// Search makes players that search with mcts. Each gets an evaluator of its
// own; name is theirs in reports.
func Search(name string, game env.Game, c mcts.Config, evaluator func() mcts.Evaluator) PlayerFactory {
	return func() (Player, error) { return NewSearcher(name, game, c, evaluator()) }
}

// Rollouts makes players that search with a number of simulations a move and
// judge positions by random playouts.
func Rollouts(game env.Game, simulations int) PlayerFactory {
	return func() (Player, error) {
		c := RolloutConfig()
		c.Simulations = simulations
		p, err := NewSearcher("mcts:"+strconv.Itoa(simulations), game, c, nil)
		if err != nil {
			return nil, err
		}
		p.evaluator = func(rng *rand.Rand) mcts.Evaluator { return mcts.NewRollout(game, rng) }
		return p, nil
	}
}

// RolloutConfig returns how players search that know nothing but random
// playouts: a PUCT root without noise, because a Gumbel root would drop all
// but a few actions by their prior, which here says nothing. A playout says so
// little that it takes more exploration than a network's judgement: at connect4
// mcts:400 scores 24%, 40%, 43%, 42% and 37% against alphabeta:5 with c_puct
// 0.6, 1.25, 2.5, 5 and 10 (100 games, then 200 from 2.5 on).
func RolloutConfig() mcts.Config {
	c := mcts.Default()
	c.Root, c.RootNoise = mcts.RootPUCT, false
	c.PUCT.CPUCT = 2.5
	return c
}

// Searcher is a player that searches with mcts. It keeps the part of its tree
// that a game's course leaves of use.
type Searcher struct {
	name      string
	search    *mcts.Search
	evaluator func(rng *rand.Rand) mcts.Evaluator // for a new tree
	current   mcts.Evaluator                      // of this tree
	played    []env.Action                        // history at the root of the tree
	rooted    bool                                // there is a tree to go on from
	kept      int                                 // simulations through the root that were there before this move
	result    mcts.Result
}

var (
	_ Player   = (*Searcher)(nil)
	_ NewGamer = (*Searcher)(nil)
	_ Analyzer = (*Searcher)(nil)
)

// NewSearcher returns a player that judges positions with e, which is its own
// from now on.
func NewSearcher(name string, game env.Game, c mcts.Config, e mcts.Evaluator) (*Searcher, error) {
	search, err := mcts.New(game, c)
	if err != nil {
		return nil, fmt.Errorf("arena: player %s: %w", name, err)
	}
	return &Searcher{name: name, search: search, evaluator: func(*rand.Rand) mcts.Evaluator { return e }}, nil
}

// Name implements Player.
func (p *Searcher) Name() string { return p.name }

// NewGame implements NewGamer.
func (p *Searcher) NewGame() { p.rooted = false }

// Choose implements Player.
func (p *Searcher) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	if err := p.Think(ctx, s, history, rng, nil); err != nil {
		return 0, err
	}
	p.search.Result(&p.result)
	return p.result.Best, nil
}

// SetSimulations changes the number of simulations from the next move on.
func (p *Searcher) SetSimulations(n int) { p.search.SetSimulations(n) }

// Watch follows a search under way.
type Watch struct {
	Due    func() bool    // asked after each call of the evaluator: is it time for a report?
	Report func(Analysis) // what was found so far
}

// Think searches like Choose. Also when it was broken off by ctx, whose error
// it then returns wrapped, Analysis says what was found. Watch may be nil.
func (p *Searcher) Think(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand, watch *Watch) error {
	p.follow(s, history, rng)
	for {
		due, err := p.run(ctx, watch)
		if err != nil {
			return fmt.Errorf("arena: %s: %w", p.name, err)
		}
		if !due {
			return nil
		}
		watch.Report(p.Analysis())
	}
}

// run searches until the search is done, or a report is due: a search may only
// be looked into while it does not run.
func (p *Searcher) run(ctx context.Context, watch *Watch) (due bool, err error) {
	if watch == nil {
		return false, p.search.Run(ctx, p.current)
	}
	part, pause := context.WithCancel(ctx)
	defer pause()
	err = p.search.Run(part, watched{p.current, func() {
		if !due && watch.Due() {
			due = true
			pause()
		}
	}})
	if due && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return true, nil
	}
	return false, err
}

// watched is an evaluator that tells when it has answered.
type watched struct {
	mcts.Evaluator
	answered func()
}

func (w watched) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	err := w.Evaluator.Evaluate(ctx, leaves)
	if err == nil {
		w.answered()
	}
	return err
}

// follow brings the root of the tree to s: by the actions since the last move,
// or with a new tree if those do not lead there.
func (p *Searcher) follow(s env.State, history []env.Action, rng *rand.Rand) {
	known := len(p.played)
	if p.rooted && len(history) > known && slices.Equal(history[:known], p.played) && p.advance(history[known:]) &&
		p.search.State().Hash() == s.Hash() {
		p.played = append(p.played, history[known:]...)
		p.kept = p.simulations()
		return
	}
	p.current, p.kept = p.evaluator(rng), 0
	p.search.Start(s, rng)
	p.played = append(p.played[:0], history...)
	p.rooted = true
}

// advance moves the root along actions as long as they are legal.
func (p *Searcher) advance(actions []env.Action) bool {
	for _, a := range actions {
		if !slices.Contains(p.search.State().Legal(nil), a) {
			return false
		}
		p.search.Advance(a)
	}
	return true
}

// Analysis implements Analyzer. The lines are all actions that were tried, the
// one to play first, then the most visited.
func (p *Searcher) Analysis() Analysis {
	r := &p.result
	nodes := p.simulations() - p.kept
	t := Analysis{Value: r.Value, Nodes: nodes, Proven: r.Proven}
	for i, a := range r.Actions {
		if r.Visits[i] == 0 && a != r.Best {
			continue
		}
		line := Line{Actions: []env.Action{a}, Value: r.Q[i], Visits: int(r.Visits[i])}
		if a == r.Best {
			if pv := p.search.PrincipalVariation(nil); len(pv) > 0 && pv[0] == a {
				line.Actions = pv
			}
		}
		t.Lines = append(t.Lines, line)
	}
	slices.SortStableFunc(t.Lines, func(x, y Line) int {
		if first := cmp.Compare(rank(y, r.Best), rank(x, r.Best)); first != 0 {
			return first
		}
		return cmp.Compare(y.Visits, x.Visits)
	})
	return t
}

// rank is 1 for the line of the best action, otherwise 0.
func rank(l Line, best env.Action) int {
	if l.Actions[0] == best {
		return 1
	}
	return 0
}

// simulations fills in the result and returns how many went through the root.
func (p *Searcher) simulations() int {
	p.search.Result(&p.result)
	n := 0
	for _, visits := range p.result.Visits {
		n += int(visits)
	}
	return n
}
