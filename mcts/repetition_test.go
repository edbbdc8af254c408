package mcts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
)

// graph is a game of two players who move a token along the arrows of a graph, from node 0 on. The
// third occurrence of a node with the same player on turn draws.
type graph struct {
	next   [][]int // [nodes] targets of the arrows
	winner []int   // [nodes] the player who wins when the token arrives there, or none
}

type graphState struct {
	graph   *graph
	history []int // nodes, with the start
}

func (g *graph) Spec() env.Spec {
	return env.Spec{
		Name: "graph", Players: 2, Planes: 1, Height: 1, Width: 8, PolicyPlanes: 1,
		MaxPlies: 4 * len(g.next), Version: 1,
	}
}

func (g *graph) New() env.State { return &graphState{g, []int{0}} }

func (s *graphState) at() int                          { return s.history[len(s.history)-1] }
func (s *graphState) Turn() env.Player                 { return env.Player((len(s.history) - 1) & 1) }
func (s *graphState) Quiet() int                       { return len(s.history) - 1 }
func (s *graphState) Observe(dst []float32)            { clear(dst) }
func (s *graphState) String() string                   { return fmt.Sprint(s.history) }
func (s *graphState) ActionString(a env.Action) string { return fmt.Sprint(a) }
func (s *graphState) Play(a env.Action)                { s.history = append(s.history, s.graph.next[s.at()][a]) }

func (s *graphState) CopyFrom(src env.State) {
	s.graph, s.history = src.(*graphState).graph, append(s.history[:0], src.(*graphState).history...)
}

// occurrences returns the numbers of actions since the earlier occurrences, latest first.
func (s *graphState) occurrences() (since []int) {
	for back := 2; back < len(s.history); back += 2 {
		if s.history[len(s.history)-1-back] == s.at() {
			since = append(since, back)
		}
	}
	return since
}

func (s *graphState) LastOccurrence() int {
	if since := s.occurrences(); since != nil {
		return since[0]
	}
	return 0
}

func (s *graphState) Result() (env.Value, bool) {
	if w := s.graph.winner[s.at()]; w >= 0 {
		return env.WinFor(env.Player(w), 2), true
	}
	return env.Value{}, len(s.occurrences()) >= 2
}

func (s *graphState) Legal(dst []env.Action) []env.Action {
	if _, over := s.Result(); !over {
		for a := range s.graph.next[s.at()] {
			dst = append(dst, env.Action(a))
		}
	}
	return dst
}

func (s *graphState) Hash() (h uint64) {
	for _, n := range s.history {
		h = env.Mix(h ^ uint64(n+1))
	}
	return h
}

// TestRepetitionDraws: the first player can go around in a circle with the second, or leave it for
// a win that takes three plies and has a small prior. The evaluator prefers the circle. To the search,
// the return to the start is a draw without a proof, and it finds the win.
func TestRepetitionDraws(t *testing.T) {
	game := &graph{
		next:   [][]int{{1, 2}, {0}, {3}, {4}, {}},
		winner: []int{noWinner, noWinner, noWinner, noWinner, 0},
	}
	circle := script{
		"[0]":   {prior: []float32{0.8, 0.2}, value: env.Value{0.5, -0.5}},
		"[0 1]": {prior: []float32{1}, value: env.Value{0.5, -0.5}},
	}
	for _, name := range roots {
		s, r := run(t, game, quiet(name, 60), circle)
		require.EqualValues(t, 1, r.Best, draw(s))
		returned := s.nodes[s.child[s.nodes[s.child[s.edge(0)]].first]]
		require.Positive(t, returned.visits, draw(s))
		require.True(t, returned.known() && !returned.proven, draw(s))
		require.Zero(t, returned.sum, draw(s))

		// The start has occurred twice, and the game is not over.
		s.Advance(0)
		s.Advance(0)
		require.Equal(t, "[0 1 0]", s.State().String())
		require.NoError(t, s.Run(t.Context(), circle))
		require.NoError(t, s.intact())
		s.Result(&r)
		require.EqualValues(t, 1, r.Best, draw(s))
	}
}

// noWinner marks a node that does not end the game.
const noWinner = -1

// TestRepetitionsProveNothing: in random graphs, whatever moves are played, the tree stays intact, and
// proven values follow the rules, by which only the third occurrence draws.
func TestRepetitionsProveNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := env.NewRand(rapid.Uint64().Draw(t, "seed"))
		const nodes = 4
		g := &graph{next: make([][]int, nodes+2), winner: []int{noWinner, noWinner, noWinner, noWinner, 0, 1}}
		for n := range nodes {
			for range 1 + rng.IntN(2) {
				g.next[n] = append(g.next[n], rng.IntN(nodes))
			}
			if rng.IntN(2) == 0 {
				g.next[n] = append(g.next[n], nodes+rng.IntN(2))
			}
		}
		solution, err := envtest.Solve(g, 1e6)
		require.NoError(t, err)
		s, err := New(g, randomConfig(t))
		require.NoError(t, err)
		s.Start(g.New(), rng)
		var r Result
		for {
			require.NoError(t, s.Run(t.Context(), oracle{2}))
			require.NoError(t, s.intact())
			require.NoError(t, checkProofs(s, solution))
			s.Result(&r)
			if r.Best < 0 {
				_, over := s.State().Result()
				require.True(t, over)
				return
			}
			s.Advance(r.Actions[rng.IntN(len(r.Actions))])
		}
	})
}
