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

	"tiro/arena"
	"tiro/env"
	"tiro/player"
	"tiro/player/clock"
)

const (
	infoInterval = time.Second // between info lines
	nullMove     = "0000"      // bestmove when the game is over
)

// limits are the limits of a search; 0 for none.
type limits struct {
	nodes  int
	depth  int // length of the principal variation, in moves
	timed  bool
	time   clock.Time     // if timed
	ponder bool           // whether the limits hold after ponderhit only
	only   [][]env.Action // the turns to consider; none: all
}

func (l limits) infinite() bool { return l.nodes == 0 && l.depth == 0 && !l.timed }

// seatLimits maps UCI's names of limits to UGI's.
var seatLimits = map[string]string{"wtime": "p1time", "btime": "p2time", "winc": "p1inc", "binc": "p2inc"}

// numbered lists the limits that have a number, other than the times of seats.
var numbered = []string{"nodes", "depth", "movetime", "movestogo"}

// limitParser parses the arguments of go.
type limitParser struct {
	limits
	turn     env.Player
	infinite bool
	foreign  bool // whether another seat has a limit
	clocked  bool
	move     time.Duration
	faults   []error
}

func (p *limitParser) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf("go: "+format, args...))
}

// parseLimits parses the arguments of go in the position s. nodes is the default limit. A
// negative time counts as 0. Invalid arguments are reported in faults and otherwise ignored,
// because any move is better than none.
func parseLimits(args []string, s env.State, nodes int) (l limits, faults []error) {
	p := limitParser{turn: s.Turn()}
	for len(args) > 0 {
		name := args[0]
		args = args[1:]
		switch name {
		case "infinite":
			p.infinite = true
		case "ponder":
			p.ponder = true
		case "searchmoves":
			args = p.searchMoves(s, args)
		default:
			args = p.number(name, args)
		}
	}
	switch {
	case p.move > 0:
		p.timed, p.time = true, clock.Time{Left: p.move, Moves: 1, Fixed: true}
	case p.clocked:
		p.timed = true
	}
	if p.limits.infinite() && !p.infinite {
		if len(p.faults) > 0 || p.foreign || p.time.Moves > 0 {
			p.fault("no limit for player %d, the player on turn; searching %d nodes", p.turn+1, nodes)
		}
		p.nodes = nodes
	}
	if !p.timed {
		p.time = clock.Time{}
	}
	return p.limits, p.faults
}

// number parses the value of the limit name, and returns the other arguments.
func (p *limitParser) number(name string, args []string) []string {
	var seat env.Player // number of a seat, from 1
	var kind string
	_, err := fmt.Sscanf(cmp.Or(seatLimits[name], name), "p%d%s", &seat, &kind)
	ofSeat := err == nil && seat >= 1 && (kind == "time" || kind == "inc")
	value := math.NaN()
	if len(args) > 0 {
		if x, err := strconv.ParseFloat(args[0], 64); err == nil || errors.Is(err, strconv.ErrRange) {
			value, args = x, args[1:]
		}
	}
	n := min(max(value, 0), math.MaxInt32) // out of reach of any search
	ms := time.Duration(n * float64(time.Millisecond))
	switch {
	case !ofSeat && !slices.Contains(numbered, name):
		p.fault("unknown limit %q (nodes, depth, movetime, p1time, p1inc, …, movestogo, infinite, ponder, searchmoves)", clip(name))
	case math.IsNaN(value):
		p.fault("%s requires a number", name)
	case name == "nodes":
		p.nodes = int(max(n, 1))
	case name == "depth":
		p.depth = int(max(n, 1))
	case name == "movetime":
		p.move = max(ms, time.Millisecond)
	case name == "movestogo":
		p.time.Moves = int(n)
	case seat-1 != p.turn:
		p.foreign = true
	case kind == "time":
		p.time.Left, p.clocked = ms, true
	default:
		p.time.Increment, p.clocked = ms, true
	}
	return args
}

// searchMoves parses the moves after searchmoves, up to the next limit, and returns the other
// arguments.
func (p *limitParser) searchMoves(s env.State, args []string) []string {
	for i, name := range args {
		if turn, err := env.ParseTurn(s, name); err == nil {
			p.only = append(p.only, turn)
			continue
		}
		if i == 0 {
			p.fault("searchmoves: illegal move %q", clip(name))
			i++
		}
		return args[i:]
	}
	return nil
}

// search executes go: it starts a search in a goroutine. It always leads to a best move, for
// which the other program waits. Without a position, that is the null move.
func (g *engine) search(ctx context.Context, args []string) {
	l, faults := parseLimits(args, g.state, g.nodes)
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
		return
	}
	g.start(ctx, search{
		thinking: thinking{state: g.state, history: g.history},
		limits:   l, interval: infoInterval, info: (*search).printInfo,
		done: func(s *search) {
			if s.err != nil {
				g.printError(s.err)
			}
			s.printMove()
		},
	})
}

// start starts a search in a goroutine.
func (g *engine) start(ctx context.Context, s search) {
	g.limits = s.limits
	ctx, g.cancel = context.WithCancel(ctx)
	g.finished, g.hit = make(chan struct{}), make(chan struct{})
	s.engine, s.ponderhit = g, g.hit
	s.began = g.Now()
	s.reported = s.began
	switch s.manager.Unlimit(); {
	case !s.limits.timed:
		s.manager.Forget()
	case !s.limits.ponder:
		s.begin()
	}
	go func() {
		defer close(g.finished)
		s.run(ctx)
	}()
}

// unlimited reports whether the running search, if any, has no limit.
func (g *engine) unlimited() bool { return g.limits.infinite() || g.limits.ponder }

// ponderHit makes the limits of a pondering search hold.
func (g *engine) ponderHit() {
	if g.finished != nil && g.limits.ponder {
		g.limits.ponder = false
		close(g.hit)
	}
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
	limits    limits
	ponderhit <-chan struct{} // closed when the limits hold, if they do not yet
	interval  time.Duration
	info      func(s *search, a player.Analysis) // reports after each interval, and after each decision
	done      func(s *search)                    // reports the turn

	enough   context.CancelFunc // ends the search
	pondered bool               // whether the search has pondered before its limits held
	steps    int
	began    time.Time
	reported time.Time       // time of the last report
	last     player.Analysis // of the last decision
	err      error           // why the turn, or the rest of it, is not by the search
}

// begin begins the time of the turn.
func (s *search) begin() {
	spec, seat := s.Game.Spec(), s.state.Turn()
	if s.clocked != seat { // the last time was another player's
		s.manager.Forget()
	}
	s.clocked = seat
	s.manager.Begin(s.Now(), s.limits.time, (spec.MaxPlies-len(s.history))/spec.Players+1)
}

// run searches until a limit is reached or ctx ends, and reports the turn. A search without
// limits, and one that ponders, waits for ctx or ponderhit, as the protocols require.
func (s *search) run(ctx context.Context) {
	limited, enough := context.WithCancel(ctx)
	defer enough()
	s.enough = enough
	searcher, nodes := s.byTime, math.MaxInt32
	if s.limits.nodes > 0 && !s.limits.ponder {
		nodes = s.limits.nodes
		if !s.limits.timed {
			searcher = s.byNodes
		}
	}
	if s.level > 0 { // levels were rated with one leaf at a time
		searcher, nodes = s.byNodes, min(nodes, s.Levels[s.level-1].Simulations)
	}
	searcher.SetSimulations(nodes)
	s.game, s.player, s.only, s.thinking.watch = s.Game, searcher, s.limits.only, s.watch
	s.decided = func(a player.Analysis) {
		s.last = a
		s.info(s, a)
		s.await(ctx)
	}
	s.rng = func(plies int) *rand.Rand { return env.NewRand(s.Seed, s.games, uint64(plies)) }
	if s.err = s.thinking.run(limited); s.err != nil {
		s.completeTurn()
	}
	s.done(s)
}

// await waits until a decision may be reported.
func (s *search) await(ctx context.Context) {
	switch {
	case s.limits.infinite():
		<-ctx.Done()
	case s.limits.ponder:
		select {
		case <-ctx.Done():
		case <-s.ponderhit:
		}
	}
}

// completeTurn completes a turn that could not be searched with arbitrary legal actions.
func (s *search) completeTurn() {
	at := env.After(s.Game, s.state, s.turn...)
	for len(s.turn) == 0 || env.MidTurn(at) {
		a := at.Legal(nil)[0]
		s.turn = append(s.turn, a)
		at.Play(a)
	}
}

// measured reports whether the depth is measured after this number of steps: often at first,
// because a measurement costs as much as some simulations.
func measured(steps int) bool { return steps&(steps-1) == 0 || steps%16 == 0 }

// watch reports at intervals of s.interval, and ends the search at limits that its player does
// not know.
func (s *search) watch() {
	if now := s.Now(); now.Sub(s.reported) >= s.interval {
		s.reported = now
		s.info(s, s.current())
	}
	if s.limits.ponder {
		select {
		case <-s.ponderhit:
			if s.limits.ponder = false; s.limits.timed {
				s.begin()
			}
			s.pondered = true
		default:
			return
		}
	}
	s.steps++
	switch {
	case s.limits.depth > 0 && measured(s.steps) && len(s.variation(s.current().Lines[0])) >= s.limits.depth,
		s.pondered && s.limits.nodes > 0 && s.current().Nodes >= s.limits.nodes:
		s.enough()
	}
}

// current returns the analysis of the running search.
func (s *search) current() player.Analysis { return s.player.(player.Analyzer).Analysis() }

// variation returns the moves of a line, from the start of the turn.
func (s *search) variation(l player.Line) []string {
	return notation(s.Game, s.state, slices.Concat(s.turn, l.Actions))
}

// printMove prints the best move and, with the option Ponder, the expected reply.
func (s *search) printMove() {
	text := "bestmove " + notation(s.Game, s.state, s.turn)[0]
	if s.ponders > 0 && s.err == nil && len(s.last.Lines) > 0 {
		// The last line begins with the last action of the turn.
		moves := notation(s.Game, s.state, slices.Concat(s.turn[:len(s.turn)-1], s.last.Lines[0].Actions))
		if len(moves) > 1 {
			text += " ponder " + moves[1]
		}
	}
	s.out.printf("%s\n", text)
}

// maxCentipawns is the score of a certain win.
const maxCentipawns = 10_000

// centipawns converts an expected score, 0 to 1, to the difference in Elo with this score.
func centipawns(share float64) int {
	return int(math.Round(min(max(arena.Elo(share, 1), -maxCentipawns), maxCentipawns)))
}

// printInfo prints an info line about the best moves, as many as the option MultiPV asks for.
// With more than two players, other lines have the outcomes and payoffs of all players.
func (s *search) printInfo(a player.Analysis) {
	spec := s.Game.Spec()
	players, turn := spec.Players, s.state.Turn()
	ms := max(s.Now().Sub(s.began).Milliseconds(), 1)
	nodes := s.thinking.nodes + a.Nodes
	draw := 0.0
	if s.Outcome != nil {
		draw = s.Outcome(s.state)[players]
	}
	var text strings.Builder
	for i, l := range a.Lines[:min(max(s.multiPV, 1), len(a.Lines))] {
		pv := s.variation(l)
		fmt.Fprintf(&text, "info depth %d", len(pv))
		if s.multiPV > 1 {
			fmt.Fprintf(&text, " multipv %d", i+1)
		}
		exact, draw := "", draw
		if a.Proven && i == 0 {
			exact, draw = " exact", 1 // a proven value shared by all seats is a draw
		}
		outcome := arena.Outcome(l.Value, draw, players)
		win, drawn := math.Round(1000*outcome[turn]), math.Round(1000*outcome[players])
		fmt.Fprintf(&text, " nodes %d nps %d time %d score cp %d wdl %.0f %.0f %.0f%s pv %s\n", nodes, int64(nodes)*1000/ms, ms,
			centipawns(float64(l.Value.Shares(players)[turn])), win, drawn, 1000-win-drawn, exact, strings.Join(pv, " "))
		if i > 0 || players == 2 {
			continue
		}
		if s.Outcome != nil {
			text.WriteString("info string outcome")
			for seat, p := range outcome[:players] {
				fmt.Fprintf(&text, " p%d %.3f", seat+1, p)
			}
			fmt.Fprintf(&text, " draw %.3f\n", outcome[players])
		}
		text.WriteString("info string payoffs")
		for seat, x := range l.Value[:players] {
			fmt.Fprintf(&text, " p%d %+.3f", seat+1, math.Round(1000*float64(x))/1000+0) // not -0.000
		}
		text.WriteString("\n")
	}
	s.out.printf("%s", text.String())
}
