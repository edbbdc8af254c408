package pacru

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/internal/effort"
)

var makers = map[string]func(*env.Options) (env.Game, error){"shacru": NewShacru, "azacru": NewAzacru, "pacru": NewPacru}

func newGameOf(t testing.TB, text string) *Game {
	t.Helper()
	name, o, err := env.ParseName(text)
	require.NoError(t, err)
	g, err := makers[name](o)
	require.NoError(t, err)
	return g.(*Game)
}

// every returns the names of the nine games, and of Pacru with a threshold for meetings.
func every() (names []string) {
	for _, name := range []string{"shacru", "azacru", "pacru"} {
		names = append(names, name, name+":players=3", name+":players=4")
	}
	return append(names, "pacru:meeting=9", "pacru:players=3,meeting=9", "pacru:players=4,meeting=9")
}

func TestConformance(t *testing.T) {
	for _, name := range every() {
		t.Run(name, func(t *testing.T) {
			g := newGameOf(t, name)
			require.Equal(t, name, g.Spec().Name)
			envtest.Run(t, g)
		})
	}
}

// TestPerft counts from the start positions (8). The last depth of each is for a long test.
func TestPerft(t *testing.T) {
	for name, counts := range map[string][]uint64{
		"shacru":           {16, 254, 3932, 60532, 957723},
		"shacru:players=3": {13, 162, 2015, 23181, 270801},
		"shacru:players=4": {13, 162, 2015, 23927, 274185},
		"azacru":           {16, 254, 3932, 60532, 1012794},
		"azacru:players=3": {13, 162, 2015, 23181, 270801},
		"azacru:players=4": {13, 162, 2015, 23927, 274185},
		"pacru":            {28, 734, 16168, 345579},
		"pacru:players=3":  {23, 533, 11343, 191349},
		"pacru:players=4":  {23, 510, 10379, 202471},
		"pacru:meeting=9":  {28, 734, 16168, 345579},
	} {
		s := newGameOf(t, name).New().(*State)
		for i, want := range counts[:len(counts)-effort.Of(1, 1, 0)] {
			require.Equal(t, want, s.Perft(i+1), "%s depth %d", name, i+1)
		}
		sum := uint64(0)
		for _, turn := range s.Divide() {
			sum += turn.After.Perft(2)
		}
		require.Equal(t, counts[2], sum, name)
	}
}

func withPlayers(name string, n int) string {
	switch {
	case n == 2:
		return name
	case name == "pacru:meeting=9":
		return fmt.Sprintf("pacru:players=%d,meeting=9", n)
	}
	return fmt.Sprintf("%s:players=%d", name, n)
}

// TestPicture compares the drawing of the start position with the package comment.
func TestPicture(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for line := range strings.Lines(newGameOf(t, "pacru").New().(*State).Draw(env.Screen{})) {
		require.Contains(t, string(doc), "//	"+line)
	}
}

func ExampleState_Turns() {
	_, options, err := env.ParseName("pacru:players=3")
	if err != nil {
		fmt.Println(err)
		return
	}
	game, err := NewPacru(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := game.New().(*State)
	turns := s.Turns()
	fmt.Println(len(turns), "turns, the first", turns[0].Move, "with", len(turns[0].Actions), "actions")
	actions, err := s.ParseTurn("a7-b6(c5)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range actions {
		fmt.Println(s.ActionString(a))
		s.Play(a)
	}
	fmt.Println(s.LastTurn(), "leads to", s)
	// Output:
	// 23 turns, the first a7-b6(a4) with 2 actions
	// a7-b6
	// c5
	// a7-b6(c5) leads to 3;1;......................................0..........................................;c1:2N,g1:1N,a5:2E,i5:1W,b6:0SE,i7:0W,c9:2S,e9:0S,g9:1S;-
}
