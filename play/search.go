package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/env"
	"tiro/player"
)

const (
	infoInterval = time.Second // between info lines
	nullMove     = "0000"      // bestmove when the game is over
)

// limits are the limits of a search; 0 for none.
type limits struct {
	nodes    int
	duration time.Duration
}

func (l limits) infinite() bool { return l.nodes == 0 && l.duration == 0 }

// turnTime returns the length of a search: a thirtieth of the remaining time, and three
// quarters of the increment of each turn.
func turnTime(left, increment time.Duration) time.Duration {
	return max(left/30, time.Millisecond) + increment*3/4
}

// parseLimits parses the arguments of go for the seat turn. nodes is the default limit. A
// negative time counts as 0. Invalid arguments are reported in faults and otherwise ignored,
// because any move is better than none.
func parseLimits(args []string, turn env.Player, nodes int) (l limits, faults []error) {
	if len(args) == 1 && args[0] == "infinite" {
		return limits{}, nil
	}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("go: "+format, args...)) }
	var left, increment time.Duration
	clocked := false
	for i := 0; i < len(args); i++ {
		var number env.Player // number of a seat, from 1
		var kind string
		_, err := fmt.Sscanf(cmp.Or(clocks[args[i]], args[i]), "p%d%s", &number, &kind)
		clock := err == nil && number >= 1 && (kind == "time" || kind == "inc")
		name, value := args[i], math.NaN()
		if i+1 < len(args) {
			if x, err := strconv.ParseFloat(args[i+1], 64); err == nil || errors.Is(err, strconv.ErrRange) {
				value = x
				i++
			}
		}
		n := min(max(value, 0), math.MaxInt32) // out of reach of any search
		ms := time.Duration(n * float64(time.Millisecond))
		switch {
		case name != "nodes" && name != "movetime" && !clock:
			fault("unknown limit %q (nodes, movetime, p1time, p1inc, …, infinite)", clip(name))
		case math.IsNaN(value):
			fault("%s requires a number", name)
		case name == "nodes":
			l.nodes = int(max(n, 1))
		case name == "movetime":
			l.duration = max(ms, time.Millisecond)
		case number-1 != turn:
		case kind == "time":
			left, clocked = left+ms, true
		default:
			increment, clocked = increment+ms, true
		}
	}
	if clocked {
		l.duration += turnTime(left, increment)
	}
	if l.infinite() {
		if len(args) > 0 {
			fault("no limit for player %d, the player on turn; searching %d nodes", turn+1, nodes)
		}
		l.nodes = nodes
	}
	return l, faults
}

// clocks maps UCI's names of limits to UGI's.
var clocks = map[string]string{"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}

// search executes go: it starts a search in a goroutine. It always leads to a best move, for
// which the other program waits. Without a position, that is the null move.
func (g *engine) search(ctx context.Context, args []string) error {
	l, faults := parseLimits(args, g.state.Turn(), g.nodes)
	for _, fault := range faults {
		g.printError(fault)
	}
	var err error
	if g.refused != nil {
		err = fmt.Errorf("go: no position, because the last position was refused: %w", g.refused)
	} else if _, over := g.state.Result(); over {
		err = errors.New("go: the game is over")
	}
	if err != nil {
		g.printError(err)
		g.out.printf("bestmove %s\n", nullMove)
		return nil
	}
	g.start(ctx, search{
		limits: l, state: g.state, history: g.history, interval: infoInterval, info: (*search).printInfo,
		done: func(s *search) {
			if s.err != nil {
				g.printError(s.err)
			}
			g.out.printf("bestmove %s\n", notation(g.Game, s.state, s.turn)[0])
		},
	})
	return nil
}

// start starts a search in a goroutine.
func (g *engine) start(ctx context.Context, s search) {
	g.limits = s.limits
	ctx, g.cancel = context.WithCancel(ctx)
	g.finished = make(chan struct{})
	s.engine = g
	s.began = g.Now()
	s.reported = s.began
	go func() {
		defer close(g.finished)
		s.run(ctx)
	}()
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

type search struct {
	*engine
	thinking
	limits   limits
	state    env.State    // to search
	history  []env.Action // that led to it
	interval time.Duration
	info     func(s *search, a player.Analysis) // reports after each interval, and after each decision
	done     func(s *search)                    // reports the turn

	began    time.Time
	reported time.Time // time of the last report
	err      error     // why the turn, or the rest of it, is not by the search
}

// run searches until a limit is reached or ctx ends, and reports the turn. A search
// without limits waits for ctx, as the protocols require.
func (s *search) run(ctx context.Context) {
	limited, searcher, nodes := ctx, s.byTime, math.MaxInt32
	if s.limits.duration > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, s.limits.duration)
		defer cancel()
	} else if s.limits.nodes > 0 {
		searcher = s.byNodes
	}
	if s.limits.nodes > 0 {
		nodes = s.limits.nodes
	}
	if s.level > 0 { // levels were rated with one leaf at a time
		searcher, nodes = s.byNodes, min(nodes, s.Levels[s.level-1].Simulations)
	}
	searcher.SetSimulations(nodes)
	s.thinking = thinking{
		game: s.Game, player: searcher, state: s.state, history: s.history, watch: s.watch,
		decided: func(a player.Analysis) { s.info(s, a) },
		rng:     func(plies int) *rand.Rand { return env.NewRand(s.Seed, s.games, uint64(plies)) },
	}
	if s.limits.infinite() {
		s.decided = func(a player.Analysis) {
			s.info(s, a)
			<-ctx.Done()
		}
	}
	if s.err = s.thinking.run(limited); s.err != nil {
		s.completeTurn()
	}
	s.done(s)
}

// completeTurn completes a turn that could not be searched with arbitrary legal actions.
func (s *search) completeTurn() {
	at := env.After(s.Game, s.state, s.turn...)
	for len(s.turn) == 0 || midTurn(at) {
		a := at.Legal(nil)[0]
		s.turn = append(s.turn, a)
		at.Play(a)
	}
}

// watch reports at intervals of s.interval.
func (s *search) watch() {
	if now := s.Now(); now.Sub(s.reported) >= s.interval {
		s.reported = now
		s.info(s, s.player.(player.Analyzer).Analysis())
	}
}

// printInfo prints an info line about the current best move. Since the score describes
// only one player, another line has the payoffs of all players if there are more than two.
func (s *search) printInfo(a player.Analysis) {
	players := s.Game.Spec().Players
	ms := max(s.Now().Sub(s.began).Milliseconds(), 1)
	nodes := s.thinking.nodes + a.Nodes
	value := a.BestValue()
	pv := notation(s.Game, s.state, slices.Concat(s.turn, a.Lines[0].Actions))
	exact := ""
	if a.Proven {
		exact = " exact"
	}
	text := fmt.Sprintf("info depth %d nodes %d nps %d time %d score permille %.0f%s pv %s\n", len(pv), nodes,
		int64(nodes)*1000/ms, ms, 1000*value.Shares(players)[s.state.Turn()], exact, strings.Join(pv, " "))
	if s.Outcome != nil {
		outcome := outcomeOf(s.state, a, s.Outcome, players)
		text += "info string outcome"
		for seat, p := range outcome[:players] {
			text += fmt.Sprintf(" p%d %.3f", seat+1, p)
		}
		text += fmt.Sprintf(" draw %.3f\n", outcome[players])
	}
	if players > 2 {
		text += "info string payoffs"
		for seat, x := range value[:players] {
			text += fmt.Sprintf(" p%d %+.3f", seat+1, math.Round(1000*float64(x))/1000+0) // not -0.000
		}
		text += "\n"
	}
	s.out.printf("%s", text)
}
