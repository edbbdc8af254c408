package envtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// This file is the game that docs/ADDING_A_GAME.md walks through.

// The board: row h of the grid is heap h, and so is letter h of the notation.
const (
	heaps   = 3
	largest = 5 // stones in the largest heap
)

// full is how many stones each heap begins with.
func full() [heaps]uint8 { return [heaps]uint8{3, 4, largest} }

var players = env.Option{Name: "players", Default: 2, Min: 2, Max: env.MaxPlayers, Help: "seats"}

// Options returns the options of the game, in the order of canonical game strings.
func Options() []env.Option { return []env.Option{players} }

// New returns the game with options o.
func New(o *env.Options) (env.Game, error) {
	g := &game{players: o.Int(players)}
	if err := o.Err(); err != nil {
		return nil, err
	}
	g.name = o.String()
	return g, nil
}

type game struct {
	name    string
	players int
}

func (g *game) Spec() env.Spec {
	return env.Spec{
		Name: g.name, Players: g.players,
		Planes: 1, Height: heaps, Width: largest, PolicyPlanes: 1,
		MaxPlies: 3 + 4 + 5, Version: 1,
	}
}

func (g *game) New() env.State { return &state{game: g, heap: full()} }

type state struct {
	game *game // never changed
	heap [heaps]uint8
	turn env.Player
}

func (s *state) Turn() env.Player { return s.turn }

// Legal appends the actions: to take n stones from heap h is h*largest + n-1.
func (s *state) Legal(dst []env.Action) []env.Action {
	for h, stones := range s.heap {
		for n := range int(stones) {
			dst = append(dst, env.Action(h*largest+n))
		}
	}
	return dst
}

func (s *state) Play(a env.Action) {
	s.heap[a/largest] -= uint8(a%largest) + 1
	s.turn = (s.turn + 1) % env.Player(s.game.players)
}

// Result: whoever took the last stone, the player before the one on turn, wins.
func (s *state) Result() (v env.Value, over bool) {
	if s.heap != [heaps]uint8{} {
		return v, false
	}
	players := env.Player(s.game.players)
	return env.WinFor((s.turn+players-1)%players, s.game.players), true
}

// Observe writes each heap as a row of ones. Who has which seat does not
// matter to the player on turn, so no plane tells.
func (s *state) Observe(dst []float32) {
	clear(dst)
	for h, stones := range s.heap {
		for n := range int(stones) {
			dst[h*largest+n] = 1
		}
	}
}

func (s *state) CopyFrom(src env.State) { *s = *src.(*state) }

func (s *state) Hash() uint64 {
	h := uint64(s.turn)
	for _, stones := range s.heap {
		h = h<<8 | uint64(stones)
	}
	return env.Mix(h)
}

// ActionString is the heap and the number of stones to take, such as b3.
func (s *state) ActionString(a env.Action) string {
	return fmt.Sprintf("%c%d", 'a'+a/largest, a%largest+1)
}

func (s *state) String() string { return s.Position() }

var _ env.Positioner = (*state)(nil)

// Position is the heaps and the seat on turn, such as "345 0".
func (s *state) Position() string {
	return fmt.Sprintf("%d%d%d %d", s.heap[0], s.heap[1], s.heap[2], s.turn)
}

func (s *state) SetPosition(pos string) error {
	if len(pos) != heaps+2 || pos[heaps] != ' ' {
		return fmt.Errorf("nim position %q; want %d digits, a blank and the seat on turn", pos, heaps)
	}
	next := state{game: s.game, turn: env.Player(pos[heaps+1]) - '0'}
	if next.turn < 0 || int(next.turn) >= s.game.players {
		return fmt.Errorf("nim position %q: seat %c; want 0 to %d", pos, pos[heaps+1], s.game.players-1)
	}
	for h, most := range full() {
		if next.heap[h] = pos[h] - '0'; next.heap[h] > most {
			return fmt.Errorf("nim position %q: heap %c of %q; want 0 to %d", pos, 'a'+h, pos[h], most)
		}
	}
	*s = next
	return nil
}

// newGame returns the game of a game string.
func newGame(t *testing.T, text string) env.Game {
	t.Helper()
	_, o, err := env.ParseName(text)
	require.NoError(t, err)
	game, err := New(o)
	require.NoError(t, err)
	return game
}

func TestConformance(t *testing.T) {
	for _, text := range []string{"nim", "nim:players=3"} {
		t.Run(text, func(t *testing.T) { envtest.Run(t, newGame(t, text)) })
	}
}

// TestBouton compares every position with the known solution: the player on
// turn loses exactly if the heaps, as binary numbers, add to 0 without carry
// (C. L. Bouton 1901, "Nim, a game with a complete mathematical theory").
func TestBouton(t *testing.T) {
	solution, err := envtest.Solve(newGame(t, "nim"), 1000)
	require.NoError(t, err)
	for _, position := range solution.States() {
		s := position.(*state)
		value, known := solution.Value(s)
		require.True(t, known)
		wins := s.heap[0]^s.heap[1]^s.heap[2] != 0
		require.Equal(t, wins, value[s.turn] == 1, "%s", s)
	}
}

// TestGuideQuotesThisCode holds docs/ADDING_A_GAME.md to this file and to the
// table of games.
func TestGuideQuotesThisCode(t *testing.T) {
	var code strings.Builder
	for _, name := range []string{"nim_test.go", "../games/games.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		code.Write(text)
	}
	guide, err := os.ReadFile("../../docs/ADDING_A_GAME.md")
	require.NoError(t, err)
	blocks := strings.Split(string(guide), "```go\n")[1:]
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		quote, _, closed := strings.Cut(block, "```")
		require.True(t, closed)
		require.True(t, strings.Contains(code.String(), quote), "the guide quotes what the code does not have:\n%s", quote)
	}
}
