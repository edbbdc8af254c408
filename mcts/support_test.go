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

// opinion is a script's evaluation of a position.
type opinion struct {
	prior []float32
	value env.Value
}

// script is an evaluator with evaluations by position string. It evaluates other positions
// like Uniform.
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

// completedQ returns the payoff of the root's mover for action a, v_mix if it is unvisited.
func (s *Search) completedQ(a env.Action) float32 {
	if e := s.edge(a); e < s.nodes[root].expanded {
		return s.q[e]
	}
	return s.mixedValue()
}

// oracle is an evaluator with strong preferences that depend only on the position, which
// makes searches comparable.
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

// endless is a game of two players that never ends, with 48 actions in every position.
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
	require.NoError(t, s.intact())
	var r Result
	s.Result(&r)
	return s, r
}

// draw writes the visited part of a tree, one node per line: the action that leads to it,
// its prior and its value to the mover, its visits, the player to move, and ! if its value
// is proven.
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
			mean[i] = fmt.Sprintf("%+.3f", nd.sum[i]/float64(max(nd.visits, 1)))
			if nd.proven {
				mean[i] = fmt.Sprintf("%+.3f", nd.value[i])
			}
		}
		fmt.Fprintf(&b, "%s%s N=%d", indent, name, nd.visits)
		if nd.edges > 0 {
			fmt.Fprintf(&b, " %c", 'a'+nd.mover)
		}
		fmt.Fprintf(&b, " [%s]", strings.Join(mean, " "))
		if nd.proven {
			b.WriteString(" !")
		}
		b.WriteByte('\n')
		children := slices.Clone(s.child[nd.first : nd.first+nd.expanded])
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

// golden compares got with a file in testdata.
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

// checkProofs returns an error if a proven value of s differs from the solution.
func checkProofs(s *Search, solution *envtest.Solution) error {
	var visit func(n int32, state env.State) error
	visit = func(n int32, state env.State) error {
		nd := &s.nodes[n]
		want, known := solution.Value(state)
		if !known {
			return fmt.Errorf("%s is unknown", state)
		}
		if nd.proven && nd.value != want {
			return fmt.Errorf("the proven value of %s is %v, not %v", state, nd.value, want)
		}
		for i := range nd.expanded {
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
