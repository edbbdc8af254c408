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
	infoInterval = time.Second // between info lines
	nullMove     = "0000"      // bestmove when the game is over
)

// limits are those of a search; 0 is none.
type limits struct {
	nodes    int
	duration time.Duration
}

func (l limits) infinite() bool { return l.nodes == 0 && l.duration == 0 }

// parseLimits parses the arguments of go for the seat on turn; nodes is the limit
// without arguments. A search takes a thirtieth of the time on its clock and
// three quarters of the increment.
func parseLimits(args []string, turn env.Player, nodes int) (limits, error) {
	switch {
	case len(args) == 0:
		return limits{nodes: nodes}, nil
	case len(args) == 1 && args[0] == "infinite":
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
		var number env.Player // of a seat, from 1
		var kind string
		_, err = fmt.Sscanf(args[i], "p%d%s", &number, &kind)
		clock := err == nil && number >= 1 && (kind == "time" || kind == "inc")
		switch {
		case args[i] == "nodes":
			l.nodes = max(n, 1)
		case args[i] == "movetime":
			l.duration = max(ms, time.Millisecond)
		case clock && number-1 != turn:
		case clock && kind == "time":
			l.duration += max(ms/30, time.Millisecond)
		case clock:
			l.duration += ms * 3 / 4
		default:
			return limits{}, fmt.Errorf("go: unknown limit %q; want nodes, movetime, p1time, p1inc …, or infinite", args[i])
		}
	}
	if l.infinite() {
		return limits{}, fmt.Errorf("go: no limit for player %d, who is on turn", turn+1)
	}
	return l, nil
}

// search executes go: it starts a search in a goroutine.
func (g *engine) search(ctx context.Context, args []string) error {
	if _, over := g.state.Result(); over {
		g.out.printf("info string error: go: the game is over\nbestmove %s\n", nullMove)
		return nil
	}
	l, err := parseLimits(args, g.state.Turn(), g.Search.Simulations)
	if err != nil {
		return err
	}
	g.limits = l
	ctx, g.cancel = context.WithCancel(ctx)
	g.finished = make(chan struct{})
	now := g.Now()
	s := search{engine: g, state: env.After(g.Game, g.state), began: now, reported: now}
	go func() {
		defer close(g.finished)
		s.run(ctx)
	}()
	return nil
}

// stop stops the running search, if any, and waits for its bestmove.
func (g *engine) stop() {
	if g.finished != nil {
		g.cancel()
		g.wait()
	}
}

// wait waits for the end of the running search, if any.
func (g *engine) wait() {
	if g.finished != nil {
		<-g.finished
		g.cancel()
		g.finished = nil
	}
}

// search is a running search, which has a goroutine of its own.
type search struct {
	*engine
	state    env.State
	began    time.Time
	reported time.Time // time of the last info line

	turn  []env.Action // decided so far
	nodes int          // simulations spent on them
}

// run searches until a limit is reached or ctx ends, and prints the best move. A
// search without limits waits for ctx, as the protocol demands.
func (s *search) run(ctx context.Context) {
	limited := ctx
	if s.limits.duration > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, s.limits.duration)
		defer cancel()
	}
	nodes := s.limits.nodes
	if nodes == 0 {
		nodes = math.MaxInt32
	}
	s.think(limited, s.state, nodes, s.watch)
	if s.limits.infinite() {
		<-ctx.Done()
	}
	s.completeTurn(context.WithoutCancel(ctx), min(nodes, furtherNodes))
	s.out.printf("bestmove %s\n", notation(s.Game, s.state, s.turn)[0])
}

// think searches at, the position after the decided actions of the turn.
func (s *search) think(ctx context.Context, at env.State, nodes int, watch func()) {
	s.player.SetSimulations(nodes)
	history := slices.Concat(s.history, s.turn)
	rng := env.NewRand(s.Seed, s.games, uint64(len(history)))
	if err := s.player.Think(ctx, at, history, rng, watch); err != nil && ctx.Err() == nil {
		s.printError(err)
	}
}

// furtherNodes bounds the simulations of each decision of a turn but the first,
// whose search has covered them too.
const furtherNodes = 64

// completeTurn decides the turn that the search has found. Where its first action
// leaves something to decide, it searches on, whatever the limits.
func (s *search) completeTurn(ctx context.Context, nodes int) {
	at := env.After(s.Game, s.state)
	for {
		analysis := s.player.Analysis()
		s.info(analysis)
		best := at.Legal(nil)[0] // if there was no time for any simulation
		if len(analysis.Lines) > 0 {
			best = analysis.Lines[0].Actions[0]
		}
		s.turn = append(s.turn, best)
		at.Play(best)
		if !midTurn(at) {
			return
		}
		s.nodes += analysis.Nodes
		s.think(ctx, at, nodes, nil)
	}
}

// watch prints an info line when it is time for one.
func (s *search) watch() {
	if now := s.Now(); now.Sub(s.reported) >= infoInterval {
		s.reported = now
		s.info(s.player.Analysis())
	}
}

// info prints an info line. With more than two players, of whom the score tells
// one only, a second line has the payoffs of all.
func (s *search) info(a arena.Analysis) {
	if len(a.Lines) == 0 {
		return
	}
	players := s.Game.Spec().Players
	ms := max(s.Now().Sub(s.began).Milliseconds(), 1)
	nodes := s.nodes + a.Nodes
	pv := notation(s.Game, s.state, slices.Concat(s.turn, a.Lines[0].Actions))
	text := fmt.Sprintf("info depth %d nodes %d nps %d time %d score wdl %s pv %s\n",
		len(pv), nodes, int64(nodes)*1000/ms, ms, wdl(a, s.state.Turn(), players), strings.Join(pv, " "))
	if players > 2 {
		text += "info string payoffs"
		for seat, x := range a.Value[:players] {
			text += fmt.Sprintf(" p%d %+.3f", seat+1, x)
		}
		text += "\n"
	}
	s.out.printf("%s", text)
}

// wdl writes the probabilities, in permille, that the player on turn wins, draws
// and loses. A search knows the expected score but not how likely draws are:
// unless the result is certain, it counts as wins and losses only.
func wdl(a arena.Analysis, turn env.Player, players int) string {
	if a.Proven && slices.Max(a.Value[:players]) == 0 {
		return "0 1000 0"
	}
	win := int(math.Round(1000 * a.Value.Shares(players)[turn]))
	return fmt.Sprintf("%d 0 %d", win, 1000-win)
}
