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

	"tiro/env"
	"tiro/mcts"
	"tiro/player"
	"tiro/player/clock"
)

// Engine plays for another program through the Universal Game Interface
// (github.com/kz04px/cutegames, ugi.md) or, for games that implement env.GTPGame, the Go
// Text Protocol. docs/PROTOCOL.md describes both.
type Engine struct {
	Game      env.Game
	Name      string // for id
	Author    string // for id
	Evaluator mcts.Evaluator
	Seed      uint64
	Now       func() time.Time // for the times in info lines

	// Search configures the search. Its root must not be Gumbel, which cannot end
	// before all simulations are done. go nodes evaluates one leaf at a time. Every
	// other search evaluates Parallel leaves at a time; 0 means one. The option Hash
	// bounds the nodes.
	Search   mcts.Config
	Parallel int

	// WithThreads, if set, returns an evaluator with the given number of threads. It
	// replaces Evaluator when the option Threads is set. Threads is the default.
	WithThreads func(threads int) mcts.Evaluator
	Threads     int

	// Levels are the strengths of the option Level, from weak to strong. Level is the
	// default, 0 for full strength. A level limits the simulations and draws the
	// actions.
	Levels []player.Level
	Level  int

	// Outcome, if set, returns the network's outcome probabilities, like
	// net.Model.Outcomes. Info lines then contain the search's probabilities.
	Outcome func(s env.State) []float64

	// WithGame, if set, returns the engine of another game string, for commands of GTP
	// that change the options of the game.
	WithGame func(game string) (Engine, error)

	// ReadFile, if set, reads a file for loadsgf.
	ReadFile func(name string) ([]byte, error)
}

// DefaultHash is the default of the option Hash: the maximum size of the search tree in
// MiB. It holds 150,000 nodes of Coerceo. The process takes more memory while the tree
// grows; see the package comment.
const DefaultHash = 256

// DefaultParallel is the recommended number of leaves that a network evaluates at a time
// in a search with a time, for any number of cores. In Coerceo 400 simulations with eight
// leaves take about as long as 200 with one, and score 60% against them (50.2 to 69.1, 20
// games): docs/measurements/search.md.
const DefaultParallel = 8

// Run executes commands of UGI until quit or the end of the input, where it waits for a
// search with a limit. When ctx ends, Run returns its error wrapped, even while a Read of in
// blocks. Run waits for the goroutine of its search.
func (e Engine) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	g := e.begin(out)
	return g.run(ctx, in, func(text string, fault error) error {
		if fault != nil {
			g.printError(fault)
			return nil
		}
		return g.execute(ctx, text)
	})
}

// begin returns the engine at the start of a game.
func (e Engine) begin(out io.Writer) *engine {
	g := &engine{Engine: e, out: &printer{w: out}, position: position{state: e.Game.New()}, manager: clock.NewManager(e.Now)}
	g.settings = settings{nodes: e.Search.Simulations, hash: DefaultHash, parallel: max(1, e.Parallel), threads: max(1, e.Threads), level: e.Level, multiPV: 1}
	g.defaults = g.settings
	return g
}

// run has each line of the input executed, or the fault of one that is too long.
func (g *engine) run(ctx context.Context, in io.Reader, execute func(text string, fault error) error) error {
	err := g.makePlayers()
	if err != nil {
		return fmt.Errorf("play: engine: %w", err)
	}
	err = newInput(in).each(ctx, func(text string, fault error) error {
		if err := execute(text, fault); err != nil {
			return err
		}
		if g.out.failure() != nil {
			return errQuit // the failure is returned below
		}
		return nil
	})
	if err != nil || g.unlimited() {
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

type settings struct {
	nodes    int // limit of go without limits
	hash     int // maximum size of the tree, in MiB
	parallel int // leaves at a time in a search with a time
	threads  int // threads of the evaluator
	level    int // 0 for full strength
	multiPV  int // number of best moves in info lines
	ponders  int // 1: bestmove includes the expected reply
}

// engine is a running Engine. While a search runs, its goroutine owns the players, and
// the other fields that it reads are not changed until stop or wait has returned.
type engine struct {
	Engine
	settings
	defaults settings // before any setoption
	position
	out     *printer
	refused error            // error of the last position command, after which there is no position to search
	games   uint64           // number of uginewgame so far
	byNodes *player.Searcher // searches for go nodes
	byTime  *player.Searcher // searches for every other go
	limits  limits           // limits of the last search
	manager *clock.Manager   // of the time of a search
	clocked env.Player       // the player whose time manager knows last

	cancel   context.CancelFunc // cancels the running search
	finished chan struct{}      // closed after its bestmove; nil if no search runs
	hit      chan struct{}      // closed by ponderhit
}

// position is a position of a game with its past.
type position struct {
	from    string       // position string that the game began with; "" for the start
	history []env.Action // actions from there to state
	state   env.State
}

// positionAt returns the position after actions from the position string from.
func positionAt(game env.Game, from string, history []env.Action) (p position, err error) {
	start, err := PositionAfter(game, from, nil)
	if err != nil {
		return p, err
	}
	return position{from, history, env.After(game, start, history...)}, nil
}

// play plays an action.
func (p *position) play(game env.Game, a env.Action) {
	p.history = append(slices.Clip(p.history), a)
	p.state = env.After(game, p.state, a)
}

// execute executes one line. Its only error is errQuit: the protocol requires that a
// faulty command is answered and otherwise ignored.
func (g *engine) execute(ctx context.Context, text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	switch {
	case words[0] == "stop":
		g.stop()
	case !slices.Contains([]string{"uginewgame", "ucinewgame", "setoption", "position", "go"}, words[0]):
	case g.unlimited():
		g.stop()
	default:
		g.wait()
	}
	var err error
	switch args := words[1:]; words[0] {
	case "ugi", "uci":
		g.identify()
		g.out.printf("%sok\n", words[0])
	case "isready":
		g.out.printf("readyok\n")
	case "uginewgame", "ucinewgame":
		g.newGame()
	case "setoption":
		err = g.setOption(args)
	case "position":
		err = g.setPosition(args)
		g.refused = err
	case "go":
		g.search(ctx, args)
	case "stop":
	case "ponderhit":
		g.ponderHit()
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

// maxError is the maximum length of an error in an answer, in bytes.
const maxError = 1000

// printError reports an error on one line, as the protocol requires. It cuts off long
// errors, which may quote a position.
func (g *engine) printError(err error) {
	g.out.printf("info string error: %s\n", clipAt(maxError, strings.ReplaceAll(err.Error(), "\n", "; ")))
}

func (g *engine) identify() {
	g.out.printf("id name %s\n", g.Name)
	g.out.printf("id author %s\n", g.Author)
	for _, o := range g.options() {
		if o.check {
			g.out.printf("option name %s type check default %t\n", o.name, *o.field(&g.defaults) > 0)
		} else {
			g.out.printf("option name %s type spin default %d min %d max %d\n", o.name, *o.field(&g.defaults), o.min, o.max)
		}
	}
}

type option struct {
	name     string
	min, max int
	field    func(s *settings) *int
	check    bool // whether its values are false and true, for 0 and 1
}

// parse parses a value of the option.
func (o *option) parse(text string) (n int, err error) {
	if o.check {
		i := slices.Index([]string{"false", "true"}, strings.ToLower(text))
		if i < 0 {
			return 0, fmt.Errorf("option %s must be true or false, not %q", o.name, clip(text))
		}
		return i, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < o.min || n > o.max {
		return 0, fmt.Errorf("option %s must be %d to %d, not %q", o.name, o.min, o.max, clip(text))
	}
	return n, nil
}

func (g *engine) options() []option {
	all := []option{
		{"Nodes", 1, math.MaxInt32, func(s *settings) *int { return &s.nodes }, false},
		{"Hash", 1, 1 << 16, func(s *settings) *int { return &s.hash }, false},
		{"Parallel", 1, 4096, func(s *settings) *int { return &s.parallel }, false},
		{"MultiPV", 1, 500, func(s *settings) *int { return &s.multiPV }, false},
		{"Ponder", 0, 1, func(s *settings) *int { return &s.ponders }, true},
	}
	if g.WithThreads != nil {
		all = append(all, option{"Threads", 1, 1024, func(s *settings) *int { return &s.threads }, false})
	}
	if len(g.Levels) > 0 {
		all = append(all, option{"Level", 0, len(g.Levels), func(s *settings) *int { return &s.level }, false})
	}
	return all
}

// setOption executes setoption name NAME value VALUE.
func (g *engine) setOption(args []string) error {
	if len(args) != 4 || args[0] != "name" || args[2] != "value" {
		return errors.New("usage: setoption name NAME value VALUE")
	}
	var names []string
	for _, o := range g.options() {
		names = append(names, o.name)
		if !strings.EqualFold(o.name, args[1]) {
			continue
		}
		n, err := o.parse(args[3])
		if err != nil {
			return err
		}
		*o.field(&g.settings) = n
		if o.name == "Threads" {
			g.Evaluator = g.WithThreads(n)
		}
		return g.makePlayers()
	}
	return fmt.Errorf("unknown option %q (%s)", clip(args[1]), strings.Join(names, ", "))
}

func (g *engine) makePlayers() (err error) {
	c := g.Search
	c.ParallelLeaves = 1
	if g.byNodes, err = player.NewSearcher(g.Name, g.Game, within(g.Game, c, g.hash), g.Evaluator); err != nil {
		return err
	}
	if g.level > 0 {
		g.byNodes.SetTemperature(g.Levels[g.level-1].Temperature)
	}
	c.ParallelLeaves = g.parallel
	if g.byTime, err = player.NewSearcher(g.Name, g.Game, within(g.Game, c, g.hash), g.Evaluator); err != nil {
		return err
	}
	for _, p := range []*player.Searcher{g.byNodes, g.byTime} {
		p.SetManager(g.manager)
	}
	return nil
}

func (g *engine) newGame() {
	g.position, g.refused = position{state: g.Game.New()}, nil
	g.games++
	g.byNodes.NewGame()
	g.byTime.NewGame()
	g.manager.NewGame()
}

// setPosition executes position startpos|fen POS [moves M …].
func (g *engine) setPosition(args []string) error {
	start, moves := args, []string(nil)
	if i := slices.Index(args, "moves"); i >= 0 {
		start, moves = args[:i], args[i+1:]
	}
	pos := ""
	switch {
	case len(start) == 1 && start[0] == "startpos":
	case len(start) > 1 && start[0] == "fen":
		pos = strings.Join(start[1:], " ")
	default:
		return errors.New("usage: position startpos|fen POSITION [moves MOVE …]")
	}
	state, err := PositionAfter(g.Game, pos, nil)
	if err != nil {
		return err
	}
	history, err := playMoves(state, moves, env.ParseTurn)
	if err != nil {
		return err
	}
	g.position = position{pos, history, state}
	return nil
}

// query executes query gameover|pNturn|result.
func (g *engine) query(args []string) error {
	if g.refused != nil {
		return fmt.Errorf("query: no position, because the last position was refused: %w", g.refused)
	}
	players := g.Game.Spec().Players
	v, over := g.state.Result()
	asked := strings.Join(args, " ")
	switch asked {
	case "gameover":
		g.out.printf("response %t\n", over)
		return nil
	case "result":
		g.out.printf("response %s\n", resultCode(v, over, players))
		return nil
	}
	for seat := range players {
		if asked == fmt.Sprintf("p%dturn", seat+1) {
			g.out.printf("response %t\n", int(g.state.Turn()) == seat)
			return nil
		}
	}
	return errors.New("usage: query gameover|p1turn|…|result")
}
