package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiro/arena"
	"tiro/env"
	"tiro/mcts"
)

// Engine lets other programs play: it speaks the Universal Game Interface
// (github.com/kz04px/cutegames, ugi.md). The package comment lists its commands
// and responses.
type Engine struct {
	Game      env.Game
	Name      string // for id
	Author    string // for id
	Evaluator mcts.Evaluator
	Seed      uint64
	Now       func() time.Time // for the times in info lines

	// Search configures the search, except that Root and RootNoise are ignored:
	// the root is PUCT's, without noise, because a Gumbel root is not ready to
	// stop at any time. A MaxNodes of 0 is DefaultMaxNodes.
	Search mcts.Config
}

// DefaultMaxNodes bounds the nodes of an engine's tree where neither its
// configuration nor the option MaxNodes does. In Coerceo, with some 50 actions a
// position, this is about 300 MB.
const DefaultMaxNodes = 1 << 18

// DefaultParallelLeaves is how many leaves of its search an engine should have a
// network evaluate at a time, whatever the number of cores. In Coerceo 800
// simulations by the default network take 82 ms with one leaf, 38 ms with eight,
// and 35 ms if two cores share them. With eight, 100 simulations score 40%
// against 100 with one (300 games), but 250, which take about as long as those
// 100, score 65% (100 games).
const DefaultParallelLeaves = 8

// Run executes commands until quit or the end of the input; at the latter it
// waits for a search that has a limit. When ctx ends, Run returns its error
// wrapped; a Read of in that has begun is left to end by itself. Run waits for
// the goroutine of its search.
func (e Engine) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	g := &engine{Engine: e, out: &printer{w: out}, state: e.Game.New()}
	g.Search.Root, g.Search.RootNoise = mcts.RootPUCT, false
	if g.Search.MaxNodes == 0 {
		g.Search.MaxNodes = DefaultMaxNodes
	}
	g.defaults = g.Search
	if err := g.setSearch(g.Search); err != nil {
		return fmt.Errorf("play: engine: %w", err)
	}
	lines := newInput(in)
	err := g.run(ctx, lines)
	if err != nil || g.limits.infinite() {
		g.stop()
	} else {
		g.wait()
	}
	switch {
	case errors.Is(err, errQuit):
		err = nil
	case err != nil:
		err = fmt.Errorf("play: engine: %w", err)
	}
	return errors.Join(err, g.out.failure())
}

// engine is a running Engine. While a search runs, its goroutine owns player,
// and nobody changes what else it reads, until stop or wait has returned.
type engine struct {
	Engine
	out      *printer
	defaults mcts.Config // Search before any setoption
	state    env.State
	history  []env.Action // that led to state
	games    uint64       // number of uginewgame so far
	player   *arena.Searcher
	limits   limits // of the last search

	cancel   context.CancelFunc // cancels the running search
	finished chan struct{}      // closed after its bestmove; nil: no search runs
}

// run reads and executes commands. It returns nil at the end of the input.
func (g *engine) run(ctx context.Context, lines input) error {
	for {
		text, err := lines.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			g.printError(err)
			continue
		case err != nil:
			return err
		}
		if err := g.execute(ctx, text); err != nil {
			return err
		}
		if err := g.out.failure(); err != nil {
			return errQuit // Run returns the failure
		}
	}
}

// execute executes one line. Its only error is errQuit: a faulty command is
// answered and otherwise ignored, as the protocol demands.
func (g *engine) execute(ctx context.Context, text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	if slices.Contains([]string{"uginewgame", "setoption", "position", "go", "stop"}, words[0]) {
		g.stop()
	}
	var err error
	switch args := words[1:]; words[0] {
	case "ugi":
		g.identify()
	case "isready":
		g.out.printf("readyok\n")
	case "uginewgame":
		g.newGame()
	case "setoption":
		err = g.setOption(args)
	case "position":
		err = g.position(args)
	case "go":
		err = g.search(ctx, args)
	case "stop":
	case "query":
		err = g.query(args)
	case "quit":
		return errQuit
	default:
		g.out.printf("info string unknown command %q\n", clip(words[0]))
	}
	if err != nil {
		g.printError(err)
	}
	return nil
}

// printError reports an error on one line, as the protocol demands, and cut off
// where it quotes a very long position.
func (g *engine) printError(err error) {
	const most = 1000
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if len(text) > most {
		text = text[:most] + "…"
	}
	g.out.printf("info string error: %s\n", text)
}

func (g *engine) identify() {
	g.out.printf("id name %s\n", g.Name)
	g.out.printf("id author %s\n", g.Author)
	for _, o := range options() {
		g.out.printf("option name %s type spin default %d min 1 max %d\n", o.name, *o.field(&g.defaults), o.max)
	}
	g.out.printf("ugiok\n")
}

// option is a setting that setoption changes.
type option struct {
	name  string
	max   int
	field func(c *mcts.Config) *int
}

func options() []option {
	return []option{
		{"Nodes", math.MaxInt32, func(c *mcts.Config) *int { return &c.Simulations }},
		{"MaxNodes", math.MaxInt32, func(c *mcts.Config) *int { return &c.MaxNodes }},
		{"Parallel", 4096, func(c *mcts.Config) *int { return &c.ParallelLeaves }},
	}
}

// setOption executes setoption name NAME value VALUE.
func (g *engine) setOption(args []string) error {
	if len(args) != 4 || args[0] != "name" || args[2] != "value" {
		return errors.New("want setoption name NAME value VALUE")
	}
	var names []string
	for _, o := range options() {
		names = append(names, o.name)
		if !strings.EqualFold(o.name, args[1]) {
			continue
		}
		n, err := strconv.Atoi(args[3])
		if err != nil || n < 1 || n > o.max {
			return fmt.Errorf("option %s: value %q; want 1 to %d", o.name, args[3], o.max)
		}
		c := g.Search
		*o.field(&c) = n
		return g.setSearch(c)
	}
	return fmt.Errorf("unknown option %q; want %s", args[1], strings.Join(names, ", "))
}

// setSearch replaces the player by one that searches with c.
func (g *engine) setSearch(c mcts.Config) error {
	player, err := arena.NewSearcher(g.Name, g.Game, c, g.Evaluator)
	if err != nil {
		return err
	}
	g.Search, g.player = c, player
	return nil
}

func (g *engine) newGame() {
	g.state = g.Game.New()
	g.history = nil
	g.games++
	g.player.NewGame()
}

// position executes position startpos|fen POS [moves M …]. On error the position
// stays as it was.
func (g *engine) position(args []string) error {
	start, moves := args, []string(nil)
	if i := slices.Index(args, "moves"); i >= 0 {
		start, moves = args[:i], args[i+1:]
	}
	state := g.Game.New()
	switch {
	case len(start) == 1 && start[0] == "startpos":
	case len(start) > 1 && start[0] == "fen":
		if err := setPosition(state, strings.Join(start[1:], " ")); err != nil {
			return err
		}
	default:
		return errors.New("want position startpos or position fen POSITION, and optionally moves MOVE …")
	}
	history := make([]env.Action, 0, len(moves))
	for i, name := range moves {
		actions, err := env.ParseTurn(state, name)
		if err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
		history = append(history, actions...)
		for _, a := range actions {
			state.Play(a)
		}
	}
	g.state, g.history = state, history
	return nil
}

// query executes query gameover|pNturn|result.
func (g *engine) query(args []string) error {
	players := g.Game.Spec().Players
	v, over := g.state.Result()
	what := strings.Join(args, " ")
	switch what {
	case "gameover":
		g.out.printf("response %t\n", over)
		return nil
	case "result":
		g.out.printf("response %s\n", resultCode(v, over, players))
		return nil
	}
	for seat := range players {
		if what == fmt.Sprintf("p%dturn", seat+1) {
			g.out.printf("response %t\n", int(g.state.Turn()) == seat)
			return nil
		}
	}
	return errors.New("want query gameover, query p1turn or query result")
}
