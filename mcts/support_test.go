package mcts

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// opinion is what a script says of a position.
type opinion struct {
	prior []float32
	value env.Value
}

// script is an evaluator that says what is written down by position string,
// and of other positions what Uniform says.
type script map[string]opinion

func (e script) Evaluate(ctx context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		if o, ok := e[leaf.State.String()]; ok {
			copy(leaf.Prior, o.prior)
			leaf.Value = o.value
		} else if err := (Uniform{}).Evaluate(ctx, []*Leaf{leaf}); err != nil {
			return err
		}
	}
	return nil
}

// oracle is an evaluator with strong opinions that depend on nothing but the
// position, so that two searches can be compared.
type oracle struct{ players int }

func (e oracle) Evaluate(_ context.Context, leaves []*Leaf) error {
	for _, leaf := range leaves {
		rng := env.NewRand(leaf.State.Hash())
		var total float32
		for i := range leaf.Prior {
			leaf.Prior[i] = float32(math.Exp(2 * rng.NormFloat64()))
			total += leaf.Prior[i]
		}
		for i := range leaf.Prior {
			leaf.Prior[i] /= total
		}
		leaf.Value = env.Value{}
		for i := range e.players - 1 {
			x := 0.6 * float32(rng.Float64()-0.5)
			leaf.Value[i] += x
			leaf.Value[i+1] -= x
		}
	}
	return nil
}

// endless is a game of two players without end, with 48 actions everywhere.
type endless struct{}

type endlessState struct {
	hash uint64
	ply  int
}

func (endless) Spec() env.Spec {
	return env.Spec{Name: "endless", Players: 2, Planes: 1, Height: 1, Width: 48, PolicyPlanes: 1, MaxPlies: 1 << 30, Version: 1}
}
func (endless) New() env.State                           { return &endlessState{} }
func (s *endlessState) Turn() env.Player                 { return env.Player(s.ply & 1) }
func (s *endlessState) Result() (env.Value, bool)        { return env.Value{}, false }
func (s *endlessState) Observe(dst []float32)            { clear(dst) }
func (s *endlessState) CopyFrom(src env.State)           { *s = *src.(*endlessState) }
func (s *endlessState) Hash() uint64                     { return s.hash }
func (s *endlessState) ActionString(a env.Action) string { return fmt.Sprint(a) }
func (s *endlessState) String() string                   { return fmt.Sprint(s.hash) }

func (s *endlessState) Legal(dst []env.Action) []env.Action {
	for a := range env.Action(48) {
		dst = append(dst, a)
	}
	return dst
}

func (s *endlessState) Play(a env.Action) {
	s.hash = env.Mix(s.hash ^ uint64(a))
	s.ply++
}

// quiet returns a configuration without noise.
func quiet(root string, simulations int) Config {
	c := Default()
	c.Root, c.Simulations, c.RootNoise = root, simulations, false
	return c
}

func newSearch(t testing.TB, game env.Game, c Config) *Search {
	t.Helper()
	s, err := New(game, c)
	require.NoError(t, err)
	return s
}

// run searches game's start position.
func run(t testing.TB, game env.Game, c Config, e Evaluator) (*Search, Result) {
	t.Helper()
	s := newSearch(t, game, c)
	require.NoError(t, s.Run(t.Context(), e))
	require.NoError(t, intact(s))
	var r Result
	s.Result(&r)
	return s, r
}

// draw writes the visited part of a tree, one node a line: the action that
// leads to it, its visits, the mover's prior and value of that action, who is
// on turn, and ! if its value is proven.
func draw(s *Search) string {
	var b strings.Builder
	var node func(n int32, state env.State, indent string)
	node = func(n int32, state env.State, indent string) {
		nd := &s.nodes[n]
		name := "root"
		if n != root {
			e := s.nodes[nd.parent].first + nd.slot
			name = fmt.Sprintf("%s P=%.3f Q=%+.3f", state.ActionString(s.action[e]), s.prior[e], s.q[e])
		}
		after := s.game.New()
		after.CopyFrom(state)
		if n != root {
			after.Play(s.action[s.nodes[nd.parent].first+nd.slot])
		}
		mean := make([]string, s.players)
		for i := range mean {
			mean[i] = fmt.Sprintf("%+.3f", s.mean(n, env.Player(i)))
			if nd.proven {
				mean[i] = fmt.Sprintf("%+.3f", nd.value[i])
			}
		}
		fmt.Fprintf(&b, "%s%s N=%d", indent, name, nd.visits)
		if nd.edges > 0 {
			fmt.Fprintf(&b, " %c", 'a'+nd.turn)
		}
		fmt.Fprintf(&b, " [%s]", strings.Join(mean, " "))
		if nd.proven {
			b.WriteString(" !")
		}
		b.WriteByte('\n')
		children := slices.Clone(s.child[nd.first : nd.first+nd.open])
		slices.SortFunc(children, func(x, y int32) int {
			return int(s.action[nd.first+s.nodes[x].slot] - s.action[nd.first+s.nodes[y].slot])
		})
		for _, c := range children {
			node(c, after, indent+"  ")
		}
	}
	node(root, s.state, "")
	return b.String()
}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// intact returns an error if s, with nothing in flight, is not a tree as
// node's comment promises.
func intact(s *Search) error {
	edges := int32(0)
	states := make([]env.State, len(s.nodes))
	for n := range s.nodes {
		nd := &s.nodes[n]
		switch {
		case nd.first != edges:
			return fmt.Errorf("node %d: first edge %d; want %d", n, nd.first, edges)
		case nd.lost > nd.open || nd.open > nd.edges:
			return fmt.Errorf("node %d: edges lost %d, open %d, all %d", n, nd.lost, nd.open, nd.edges)
		case nd.flight != 0:
			return fmt.Errorf("node %d: %d flights", n, nd.flight)
		case (n == 0) != (nd.parent == none):
			return fmt.Errorf("node %d: parent %d", n, nd.parent)
		}
		edges += nd.edges
		states[n] = s.game.New()
		states[n].CopyFrom(s.state)
		if n > 0 {
			states[n].CopyFrom(states[nd.parent])
			states[n].Play(s.action[s.nodes[nd.parent].first+nd.slot])
			if nd.visits == 0 {
				return fmt.Errorf("node %d: no visits", n)
			}
		}
		if err := intactNode(s, int32(n), states[n]); err != nil {
			return fmt.Errorf("node %d, %s: %w", n, states[n], err)
		}
	}
	if int(edges) != len(s.action) {
		return fmt.Errorf("%d edges; want %d", len(s.action), edges)
	}
	return nil
}

func intactNode(s *Search, n int32, state env.State) error {
	nd := &s.nodes[n]
	legal := slices.Clone(s.action[nd.first : nd.first+nd.edges])
	slices.Sort(legal)
	if want := state.Legal(nil); !slices.Equal(legal, want) {
		return fmt.Errorf("actions %v; want %v", legal, want)
	}
	if nd.edges > 0 && nd.turn != state.Turn() {
		return fmt.Errorf("turn %d; want %d", nd.turn, state.Turn())
	}
	visits, settled, sum := int32(1), int32(0), [env.MaxPlayers]float64{}
	for i := range s.players {
		sum[i] = float64(nd.value[i])
	}
	for i := range nd.open {
		e := nd.first + i
		c := &s.nodes[s.child[e]]
		if c.parent != n || c.slot != i || s.child[e] <= n {
			return fmt.Errorf("edge %d leads to %d, which says it is edge %d of %d", i, s.child[e], c.slot, c.parent)
		}
		visits += c.visits
		want := float32(c.sum[nd.turn] / float64(c.visits))
		if c.proven {
			settled++
			want = c.value[nd.turn]
		}
		if s.visits[e] != c.visits || s.q[e] != want {
			return fmt.Errorf("edge %d says N %d Q %v; want %d, %v", i, s.visits[e], s.q[e], c.visits, want)
		}
		if lost := c.proven && c.value[nd.turn] <= s.loss; lost != (i < nd.lost) {
			return fmt.Errorf("edge %d: a proven loss is %v; the first %d edges are", i, lost, nd.lost)
		}
		for j := range s.players {
			sum[j] += c.sum[j]
		}
	}
	if settled != nd.settled {
		return fmt.Errorf("settled %d; want %d", nd.settled, settled)
	}
	for e := nd.first + nd.open + 1; e < nd.first+nd.edges; e++ {
		if nd.open == 0 || n == root && s.config.Root == RootGumbel {
			break
		}
		if prior := s.priors(n); prior[e] > prior[nd.first+nd.open] && nd.visits > 0 {
			return fmt.Errorf("prior %v of unvisited edge %d is greater than that of the first, %v", prior[e], e, prior[nd.first+nd.open])
		}
	}
	if nd.proven {
		if nd.visits < visits-1 {
			return fmt.Errorf("visits %d; want %d or more", nd.visits, visits-1)
		}
		return nil
	}
	if nd.visits > 0 && nd.visits != visits {
		return fmt.Errorf("visits %d; want %d", nd.visits, visits)
	}
	for i := range s.players {
		if nd.visits > 0 && math.Abs(sum[i]-nd.sum[i]) > 1e-6 {
			return fmt.Errorf("sum of seat %d is %v; want %v", i, nd.sum[i], sum[i])
		}
	}
	return nil
}

// judgeProofs returns an error if a proven value of s is not that of the
// solution.
func judgeProofs(s *Search, solution *envtest.Solution) error {
	var visit func(n int32, state env.State) error
	visit = func(n int32, state env.State) error {
		nd := &s.nodes[n]
		want, known := solution.Value(state)
		if !known {
			return fmt.Errorf("%s is unknown", state)
		}
		if nd.proven && nd.value != want {
			return fmt.Errorf("%s is said to be %v; want %v", state, nd.value, want)
		}
		for i := range nd.open {
			after := s.game.New()
			after.CopyFrom(state)
			after.Play(s.action[nd.first+i])
			if err := visit(s.child[nd.first+i], after); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(root, s.state)
}
