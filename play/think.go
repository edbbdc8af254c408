package play

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/arena"
	"tiro/env"
)

const (
	reportEvery = time.Second // between info lines
	noMove      = "0000"      // bestmove of a game that is over
)

// limits is how far a search may go.
type limits struct {
	nodes    int           // 0: no such limit
	duration time.Duration // 0: no such limit
}

func (l limits) endless() bool { return l.nodes == 0 && l.duration == 0 }

// parseLimits reads what follows go; own is the seat on turn.
//
// From a clock it takes a thirtieth and three quarters of the increment.
func parseLimits(args []string, own env.Player, nodes int) (limits, error) {
	if len(args) == 0 {
		return limits{nodes: nodes}, nil
	}
	if args[0] == "infinite" && len(args) == 1 {
		return limits{}, nil
	}
	var l limits
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			return limits{}, fmt.Errorf("go: %s wants a number", args[i])
		}
		n, err := strconv.Atoi(args[i+1])
		if err != nil || n < 0 || n > math.MaxInt32 {
			return limits{}, fmt.Errorf("go: %s %q; want a whole number from 0", args[i], args[i+1])
		}
		ms := time.Duration(n) * time.Millisecond
		var seat env.Player
		var kind string
		switch _, err := fmt.Sscanf(args[i], "p%d%s", &seat, &kind); {
		case args[i] == "nodes":
			l.nodes = max(n, 1)
		case args[i] == "movetime":
			l.duration = max(ms, time.Millisecond)
		case err == nil && seat >= 1 && kind == "time":
			if seat-1 == own {
				l.duration += max(ms/30, time.Millisecond)
			}
		case err == nil && seat >= 1 && kind == "inc":
			if seat-1 == own {
				l.duration += ms * 3 / 4
			}
		default:
			return limits{}, fmt.Errorf("go: unknown limit %q; want nodes, movetime, p1time, p1inc …, or infinite", args[i])
		}
	}
	if l.endless() {
		return limits{}, fmt.Errorf("go: no limit for player %d, who is on turn", own+1)
	}
	return l, nil
}

// begin obeys go: it starts the search.
func (g *engine) begin(ctx context.Context, args []string) error {
	if _, over := g.state.Result(); over {
		g.out.say("info string error: go: the game is over\nbestmove %s\n", noMove)
		return nil
	}
	l, err := parseLimits(args, g.state.Turn(), g.Search.Simulations)
	if err != nil {
		return err
	}
	g.limits = l
	ctx, g.cancel = context.WithCancel(ctx)
	g.finished = make(chan struct{})
	t := thinking{engine: g, limits: l, state: g.Game.New(), began: g.Now()}
	t.state.CopyFrom(g.state)
	t.reported = t.began
	go func() {
		defer close(g.finished)
		t.search(ctx)
	}()
	return nil
}

// halt stops the search, if there is one, and waits for its bestmove.
func (g *engine) halt() {
	if g.finished != nil {
		g.cancel()
		g.wait()
	}
}

// wait waits for the end of the search, if there is one.
func (g *engine) wait() {
	if g.finished != nil {
		<-g.finished
		g.cancel()
		g.finished = nil
	}
}

// thinking is one search. It runs in a goroutine of its own.
type thinking struct {
	*engine
	limits   limits
	state    env.State
	began    time.Time
	reported time.Time // when the last info line was written

	turn  []env.Action // decided so far
	nodes int          // simulations that took
}

// search searches until a limit is reached or ctx ends, and says the result. A
// search without a limit waits for ctx, as the protocol demands.
func (t *thinking) search(ctx context.Context) {
	within := ctx
	if t.limits.duration > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, t.limits.duration)
		defer cancel()
	}
	nodes := t.limits.nodes
	if nodes == 0 {
		nodes = math.MaxInt32
	}
	t.think(within, t.state, nodes, &arena.Watch{Due: t.due, Report: t.report})
	if t.limits.endless() {
		<-ctx.Done()
	}
	turn := t.complete(context.WithoutCancel(ctx), min(nodes, furtherNodes))
	t.out.say("bestmove %s\n", spell(t.Game, t.state, turn)[0])
}

// think searches s, where the turn has come to.
func (t *thinking) think(ctx context.Context, s env.State, nodes int, watch *arena.Watch) {
	t.player.SetSimulations(nodes)
	history := slices.Concat(t.history, t.turn)
	rng := env.NewRand(t.Seed, t.games, uint64(len(history)))
	if err := t.player.Think(ctx, s, history, rng, watch); err != nil && ctx.Err() == nil {
		t.complain(err)
	}
}

// furtherNodes is how many simulations are spent at most on each decision of a
// turn but the first, whose search has looked at them too.
const furtherNodes = 64

// complete returns the turn that the search has found. Where the first action
// leaves something to decide, it searches on, whatever the limits.
func (t *thinking) complete(ctx context.Context, nodes int) []env.Action {
	at := t.Game.New()
	at.CopyFrom(t.state)
	for {
		thought := t.player.Analysis()
		t.report(thought)
		best := at.Legal(nil)[0] // if there was no time to look at any
		if len(thought.Lines) > 0 {
			best = thought.Lines[0].Actions[0]
		}
		t.turn = append(t.turn, best)
		at.Play(best)
		if !underWay(at) {
			return t.turn
		}
		t.nodes += thought.Nodes
		t.think(ctx, at, nodes, nil)
	}
}

// due reports whether it is time for an info line.
func (t *thinking) due() bool {
	now := t.Now()
	if now.Sub(t.reported) < reportEvery {
		return false
	}
	t.reported = now
	return true
}

// report writes an info line, if there is anything to say. With more than two
// players, of whom the score tells one, a second line has all payoffs.
func (t *thinking) report(thought arena.Analysis) {
	if len(thought.Lines) == 0 {
		return
	}
	players := t.Game.Spec().Players
	ms := max(t.Now().Sub(t.began).Milliseconds(), 1)
	nodes := t.nodes + thought.Nodes
	pv := spell(t.Game, t.state, slices.Concat(t.turn, thought.Lines[0].Actions))
	text := fmt.Sprintf("info depth %d nodes %d nps %d time %d score wdl %s pv %s\n",
		len(pv), nodes, int64(nodes)*1000/ms, ms, wdl(thought, t.state.Turn(), players), strings.Join(pv, " "))
	if players > 2 {
		text += "info string payoffs"
		for seat, x := range thought.Value[:players] {
			text += fmt.Sprintf(" p%d %+.3f", seat+1, x)
		}
		text += "\n"
	}
	t.out.say("%s", text)
}

// wdl writes the chances of the player on turn to win, draw and lose, in
// permille. A search knows a value, not a chance of draws: unless the result
// is certain, a value counts as so much of a win and the rest of a loss.
func wdl(t arena.Analysis, own env.Player, players int) string {
	if t.Proven && slices.Max(t.Value[:players]) == 0 {
		return "0 1000 0"
	}
	win := int(math.Round(1000 * t.Value.Shares(players)[own]))
	return fmt.Sprintf("%d 0 %d", win, 1000-win)
}
