package player

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/mcts"
)

func TestRolloutsFindTheWin(t *testing.T) {
	game := ticTacToe(t)
	for _, c := range []struct{ pos, want string }{
		{"xx./oo./...", "c3"},  // wins
		{".x./oo./x..", "c2"},  // must not lose
		{"o.x/.x./..o", "a1"},  // three ways
		{"x../.o./..x", "any"}, // an edge, not a corner
	} {
		taken := choose(t, Must(game, "mcts:600"), game, c.pos, 1)
		if c.want != "any" {
			require.Equal(t, c.want, taken, c.pos)
			continue
		}
		require.NotContains(t, []string{"c3", "a1"}, taken)
	}
}

func TestSearcherReusesItsTree(t *testing.T) {
	game := ticTacToe(t)
	c := RolloutConfig()
	c.Simulations = 200
	count := 0
	p, err := NewSearcher("test", game, c, counting{&count})
	require.NoError(t, err)
	s := game.New()
	var history []env.Action
	rng := env.NewRand(1)
	step := func(a env.Action) {
		history = append(history, a)
		s.Play(a)
	}
	a, err := p.Choose(t.Context(), s, history, rng)
	require.NoError(t, err)
	require.Equal(t, 200, p.Analysis().Nodes)
	step(a)
	step(s.Legal(nil)[0])
	_, err = p.Choose(t.Context(), s, history, rng)
	require.NoError(t, err)
	require.True(t, p.kept > 0, "the subtree was kept")
	require.LessOrEqual(t, p.Analysis().Nodes, 200, "kept simulations are not counted")
	require.Equal(t, s.Hash(), p.search.State().Hash())

	// Another game with the same beginning, and a position to which the history
	// does not lead, begin new trees.
	p.NewGame()
	_, err = p.Choose(t.Context(), s, history, rng)
	require.NoError(t, err)
	require.Zero(t, p.kept)
	other := game.New()
	require.NoError(t, other.(env.Positioner).SetPosition("x.o/.x./..."))
	_, err = p.Choose(t.Context(), other, append(history, other.Legal(nil)[0]), rng)
	require.NoError(t, err)
	require.Equal(t, other.Hash(), p.search.State().Hash())
}

// Each player maximises its own payoff, also over turns of several actions: b,
// who makes three decisions, wins by its last one, although a or c would win
// elsewhere.
func TestRolloutsBySeat(t *testing.T) {
	for _, c := range []struct {
		players         int
		text, pos, want string
	}{
		{3, "a( b(b(b(A B) b(A C)) b(b(C A) b(A A))) C )", "/0", "0"},
		{3, "a( b(b(b(A B) b(A C)) b(b(C A) b(A A))) C )", "/0/0", "0"},
		{3, "a( b(b(b(A B) b(A C)) b(b(C A) b(A A))) C )", "/0/0/0", "1"},
		{3, "a( a(b(b(B C)) a(c(A A) B)) b(b(A [0.25,0.25,-0.5])) )", "/", "0"},
		{4, "c( c(c(d(D A) d(D C)) c(d(B B) d(A A))) c(a(C C) d(B B)) )", "/", "1"},
		{4, "d( a(a(b(A D) D) C) a(a(A A) b(A C)) )", "/0", "0"},
	} {
		game := envtest.MustTree(c.players, c.text)
		require.Equal(t, c.want, choose(t, Must(game, "mcts:400"), game, c.pos, 1), "%s at %s", c.text, c.pos)
	}
}

// counting evaluates all positions as even and counts them.
type counting struct{ n *int }

func (c counting) Evaluate(ctx context.Context, leaves []*mcts.Leaf) error {
	*c.n += len(leaves)
	return mcts.Uniform{}.Evaluate(ctx, leaves)
}

func TestThinkReportsAndStops(t *testing.T) {
	game := ticTacToe(t)
	c := RolloutConfig()
	c.Simulations, c.MaxNodes = 1<<20, 1<<16
	count := 0
	p, err := NewSearcher("test", game, c, counting{&count})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var reports []Analysis
	last := 0
	err = p.Think(ctx, game.New(), nil, env.NewRand(1), func() {
		if count-last < 100 {
			return
		}
		last = count
		reports = append(reports, p.Analysis())
		if len(reports) == 5 {
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, reports, 5)
	for i, r := range reports {
		require.InDelta(t, 100*(i+1), r.Nodes, 20)
	}
	require.GreaterOrEqual(t, p.Analysis().Nodes, reports[4].Nodes)
	require.Len(t, p.Analysis().Lines, 9)
}

func TestThoughtOfSearcher(t *testing.T) {
	game := ticTacToe(t)
	s := game.New()
	require.NoError(t, s.(env.Positioner).SetPosition("xx./oo./..."))
	player, err := Must(game, "mcts:400").New()
	require.NoError(t, err)
	a, err := player.Choose(t.Context(), s, nil, env.NewRand(1))
	require.NoError(t, err)
	analysis := player.(Analyzer).Analysis()
	require.True(t, analysis.Proven)
	require.Equal(t, env.Value{1, -1}, analysis.Value)
	require.Equal(t, []env.Action{a}, analysis.Lines[0].Actions)
	require.Equal(t, env.Value{1, -1}, analysis.Lines[0].Value)
	require.Equal(t, env.Value{1, -1}, analysis.BestValue())
	for i := 2; i < len(analysis.Lines); i++ {
		require.GreaterOrEqual(t, analysis.Lines[i-1].Visits, analysis.Lines[i].Visits)
	}
}

// hopeful is an evaluator for player 1 of 3 that prefers the positions after action 2.
type hopeful struct{}

func (hopeful) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		for i := range leaf.Prior {
			leaf.Prior[i] = 1 / float32(len(leaf.Prior))
		}
		leaf.Value = env.Value{0.5, -0.5, 0}
		if strings.HasPrefix(leaf.State.String(), "/2") {
			leaf.Value = env.Value{-0.25, 0.75, -0.5}
		}
	}
	return nil
}

// The value of the chosen action is its own. The value of the position also includes the other
// actions.
func TestBestValue(t *testing.T) {
	text := "A"
	for range 7 {
		text = "(" + text + text + ")"
	}
	game := envtest.MustTree(3, "b("+strings.Repeat(text, 8)+")")
	config := NetworkConfig(8)
	config.Gumbel.ValueScale = 0.05
	p, err := NewSearcher("test", game, config, hopeful{})
	require.NoError(t, err)
	a, err := p.Choose(t.Context(), game.New(), nil, env.NewRand(1))
	require.NoError(t, err)
	require.Equal(t, env.Action(2), a)
	analysis := p.Analysis()
	require.Less(t, analysis.Value[1], float32(0.75))
	require.Equal(t, env.Value{-0.25, 0.75, -0.5}, analysis.BestValue())
	require.Equal(t, a, analysis.Lines[0].Actions[0])
	require.Equal(t, env.Value{0.5, -0.5}, analysis.Lines[1].Value)

	require.Equal(t, env.Value{1, -1}, Analysis{Value: env.Value{1, -1}}.BestValue(), "of a player that compares no actions")
}

// favourite is an evaluator with one favourite action, and no time.
type favourite struct{ action env.Action }

func (f favourite) Evaluate(_ context.Context, leaves []*mcts.Leaf) error {
	for _, leaf := range leaves {
		for i, a := range leaf.Legal {
			if leaf.Prior[i] = 0; a == f.action {
				leaf.Prior[i] = 1
			}
		}
	}
	return nil
}

// A search that is stopped before its first simulation takes the evaluator's
// favourite.
func TestStoppedAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	game := ticTacToe(t)
	for _, root := range []string{mcts.RootGumbel, mcts.RootPUCT} {
		c := NetworkConfig(100)
		c.Root = root
		p, err := NewSearcher("test", game, c, favourite{4})
		require.NoError(t, err)
		require.ErrorIs(t, p.Think(ctx, game.New(), nil, env.NewRand(1), nil), context.Canceled)
		require.Equal(t, env.Action(4), p.Analysis().Lines[0].Actions[0])
		require.Zero(t, p.Analysis().Nodes)
	}
}

func TestSearcherRefuses(t *testing.T) {
	_, err := NewSearcher("bad", ticTacToe(t), mcts.Config{}, mcts.Uniform{})
	require.ErrorContains(t, err, "player bad: mcts: configuration")
}

// A player with a temperature draws its actions from the policy of its search and reports the
// drawn action. The same generator draws the same actions.
func TestTemperature(t *testing.T) {
	game := envtest.MustTree(2, "( (BB)(BA)(A=)(==) )")
	uniform := func() mcts.Evaluator { return mcts.Uniform{} }
	counts := map[float64]map[env.Action]int{}
	for _, temperature := range []float64{0, 0.2, 100} {
		counts[temperature] = map[env.Action]int{}
		f, err := Searching("x", game, NetworkConfig(8), temperature, Network{Evaluator: uniform})
		require.NoError(t, err)
		p, err := f.New()
		require.NoError(t, err)
		for seed := range uint64(300) {
			p.(NewGamer).NewGame()
			a, err := p.Choose(t.Context(), game.New(), nil, env.NewRand(seed))
			require.NoError(t, err)
			again, err := p.Choose(t.Context(), game.New(), nil, env.NewRand(seed))
			require.NoError(t, err)
			require.NotNil(t, again)
			require.Equal(t, again, p.(Analyzer).Analysis().Lines[0].Actions[0])
			counts[temperature][a]++
		}
	}
	require.Len(t, counts[0], 1, "the best action")
	for _, temperature := range []float64{0.2, 100} {
		require.Len(t, counts[temperature], 2, "either of the two that do not lose: %v", counts)
	}
}
