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
// (github.com/kz04px/cutegames, ugi.md). The package comment lists what it
// understands and says.
type Engine struct {
	Game      env.Game
	Name      string // for id
	Author    string // for id
	Evaluator mcts.Evaluator
	Seed      uint64
	Now       func() time.Time // for the times in info lines

	// Search says how to search. Root and Noise are not regarded: the search
	// has a PUCT root without noise, for it must be ready to end at any time,
	// which a Gumbel root is not. If MaxNodes is 0, it is DefaultMaxNodes.
	Search mcts.Config
}

// DefaultMaxNodes is how many nodes an engine's tree has at most, unless its
// configuration or the option MaxNodes says otherwise: at Coerceo, with some 50
// actions a position, about 300 MB.
const DefaultMaxNodes = 1 << 18

// Run answers commands until quit or the end of the input, for which it lets a
// search that has a limit come to its end. When ctx ends, it returns ctx's
// error wrapped; a Read of in that has begun is left to end by itself. The
// search runs in a goroutine that Run waits for.
func (e Engine) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	g := &engine{Engine: e, out: &printer{w: out}, state: e.Game.New()}
	g.Search.Root, g.Search.RootNoise = mcts.RootPUCT, false
	if g.Search.MaxNodes == 0 {
		g.Search.MaxNodes = DefaultMaxNodes
	}
	g.initial = g.Search
	if err := g.setSearch(g.Search); err != nil {
		return fmt.Errorf("play: engine: %w", err)
	}
	lines := newInput(in)
	defer lines.close()
	err := g.run(ctx, lines)
	if err != nil || g.limits.endless() {
		g.halt()
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

// engine is an Engine under way. While a search runs, its goroutine owns
// player, and nobody changes what else it reads; halt and wait give it back.
type engine struct {
	Engine
	out     *printer
	initial mcts.Config // Search before any setoption
	state   env.State
	history []env.Action // that led to state
	games   uint64       // begun
	player  *arena.Searcher
	limits  limits

	cancel   context.CancelFunc // of the search under way
	finished chan struct{}      // closed when it has said its bestmove; nil: no search
}

// run reads and obeys commands. It returns nil at the end of the input.
func (g *engine) run(ctx context.Context, lines *input) error {
	for {
		text, err := lines.next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			g.complain(err)
			continue
		case err != nil:
			return err
		}
		if err := g.obey(ctx, text); err != nil {
			return err
		}
		if err := g.out.failure(); err != nil {
			return errQuit // the failure is reported at the end
		}
	}
}

// obey carries out one line. Its only error is errQuit: the protocol has
// faults of the other side answered and then forgotten.
func (g *engine) obey(ctx context.Context, text string) error {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	var err error
	switch args := words[1:]; words[0] {
	case "ugi":
		g.introduce()
	case "isready":
		g.out.say("readyok\n")
	case "uginewgame":
		g.halt()
		g.newGame()
	case "setoption":
		g.halt()
		err = g.setOption(args)
	case "position":
		g.halt()
		err = g.position(args)
	case "go":
		g.halt()
		err = g.begin(ctx, args)
	case "stop":
		g.halt()
	case "query":
		err = g.query(args)
	case "quit":
		return errQuit
	default:
		g.out.say("info string unknown command %q\n", clip(words[0]))
	}
	if err != nil {
		g.complain(err)
	}
	return nil
}

// complain reports an error on one line, as the protocol wants everything, and
// not a position of any length whole.
func (g *engine) complain(err error) {
	const most = 1000
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if len(text) > most {
		text = text[:most] + "…"
	}
	g.out.say("info string error: %s\n", text)
}

func (g *engine) introduce() {
	g.out.say("id name %s\n", g.Name)
	g.out.say("id author %s\n", g.Author)
	for _, o := range options() {
		g.out.say("option name %s type spin default %d min 1 max %d\n", o.name, *o.field(&g.initial), o.max)
	}
	g.out.say("ugiok\n")
}

// option is something that setoption can change.
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

// setOption obeys setoption name NAME value VALUE.
func (g *engine) setOption(args []string) error {
	if len(args) != 4 || args[0] != "name" || args[2] != "value" {
		return errors.New("want setoption name NAME value VALUE")
	}
	known := make([]string, 0, len(options()))
	for _, o := range options() {
		known = append(known, o.name)
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
	return fmt.Errorf("unknown option %q; want %s", args[1], strings.Join(known, ", "))
}

// setSearch searches by c from now on.
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

// position obeys position startpos|fen POS [moves M …]. On error everything
// stays as it was.
func (g *engine) position(args []string) error {
	words, moves := args, []string(nil)
	if i := slices.Index(args, "moves"); i >= 0 {
		words, moves = args[:i], args[i+1:]
	}
	state := g.Game.New()
	switch {
	case len(words) == 1 && words[0] == "startpos":
	case len(words) > 1 && words[0] == "fen":
		if err := setPosition(state, strings.Join(words[1:], " ")); err != nil {
			return err
		}
	default:
		return errors.New("want position startpos or position fen POSITION, and then perhaps moves MOVE …")
	}
	history := make([]env.Action, 0, len(moves))
	for i, name := range moves {
		actions, err := parseTurn(state, name)
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

// query obeys query gameover|pNturn|result.
func (g *engine) query(args []string) error {
	players := g.Game.Spec().Players
	v, over := g.state.Result()
	what := strings.Join(args, " ")
	switch what {
	case "gameover":
		g.out.say("response %t\n", over)
		return nil
	case "result":
		g.out.say("response %s\n", result(v, over, players))
		return nil
	}
	for seat := range players {
		if what == fmt.Sprintf("p%dturn", seat+1) {
			g.out.say("response %t\n", int(g.state.Turn()) == seat)
			return nil
		}
	}
	return errors.New("want query gameover, query p1turn or query result")
}

// result names the payoffs of a game: pNwin, several of them for a win that is
// shared, draw if it is shared by all, or none. Payoffs that are not of that
// kind count as a draw.
func result(v env.Value, over bool, players int) string {
	if !over {
		return "none"
	}
	seats := winners(v, players)
	if len(seats) == 0 || len(seats) == players {
		return "draw"
	}
	words := make([]string, len(seats))
	for i, seat := range seats {
		words[i] = fmt.Sprintf("p%dwin", seat+1)
	}
	return strings.Join(words, " ")
}
