package coerceo

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// The small drawing with 80 columns marks the changes of the last move, in the picture and
// in words.
func ExampleState_Draw_small() {
	_, options, _ := env.ParseName("coerceo")
	game, err := New(options)
	if err != nil {
		panic(err)
	}
	before, s := game.New(), game.New()
	a, err := env.ParseAction(s, "d1e-d1c")
	if err != nil {
		panic(err)
	}
	s.Play(a)
	fmt.Print(s.(env.Drawer).Draw(env.Screen{Columns: 80, Lines: 20, Since: before}))
	// Output:
	//                          ___________
	//              ___________/c5 () f  ()\___________
	//  ___________/b4 a  f  ()\___b__c__d_/d4 () f  e \___________
	// /a3 a  ## e \___##_c__d_/c4 () f  ()\___b__c__##/e3 a  ## e \
	// \___##_c__d_/b3 a  ## e \___b__c__d_/d3 a  ## e \___b__c__##/
	// /a2 a  ## e \___##_c__d_/c3 a  f  e \___b__c__##/e2 a  ## e \
	// \___b__()_d_/b2 () f  e \___b__c__d_/d2 a  f  ()\___b__()_d_/
	// /a1 () f  e \___b__()_d_/c2 a  f  e \___b__()_d_/e1 a  f  ()\
	// \___b__()_d_/b1 () f  e \___##_c__##/d1 a  f *e \___b__()_d_/
	//             \___b__c__##/c1 a  f  e \___##*()_d_/
	//                         \___##_c__##/
	// () White 18 pieces, 0 tiles   ## Black 18 pieces, 0 tiles
}

// TestSmallDrawingFits: every drawing fits its screen and contains the right number of
// pieces.
func TestSmallDrawingFits(t *testing.T) {
	for _, size := range [][2]int{{120, 50}, {80, 31}, {80, 30}, {79, 50}, {61, 12}, {60, 24}, {40, 16}} {
		for _, g := range lines[goldenPosition](t, "positions.jsonl")[:100] {
			s := at(t, "coerceo", g.Pos)
			text := s.Draw(env.Screen{Columns: size[0], Lines: size[1], Since: s})
			require.LessOrEqual(t, strings.Count(text, "\n"), size[1])
			for line := range strings.Lines(text) {
				require.LessOrEqual(t, utf8.RuneCountInString(line)-1, size[0], text)
			}
			require.NotContains(t, text, "*", "no changes")
			white := pieceText[0]
			if size[0] <= 60 {
				white = "O"
			}
			require.Equal(t, 1+s.pos.Pieces(White), strings.Count(text, white), text)
			for b, name := range geo.name {
				require.Equal(t, s.pos.tiles>>b&1 == 1, name != "" && strings.Contains(text, name), text)
			}
		}
	}
}

// TestNarrate compares Narrate with the records of golden positions.
func TestNarrate(t *testing.T) {
	told := 0
	for _, g := range lines[goldenPosition](t, "positions.jsonl")[:300] {
		before := at(t, "coerceo", g.Pos)
		for _, c := range before.pos.Children() {
			a, err := env.ParseAction(before, c.Move)
			if err != nil {
				continue // another rule ends the game
			}
			after := *before
			after.Play(a)
			text := after.Narrate(before)
			exchange := strings.HasPrefix(c.Move, "x")
			captured := c.Captured
			if len(captured) > 0 && !exchange {
				require.Contains(t, text, "captures "+strings.Join(captured, " "), c.Move)
				told++
			}
			require.Equal(t, exchange, strings.Contains(text, "pays "), c.Move)
			require.Equal(t, len(c.Removed) > 0, strings.Contains(text, "tile "+strings.Join(c.Removed, " ")) ||
				strings.Contains(text, "tiles "+strings.Join(c.Removed, " ")), "%s: %s", c.Move, text)
			require.Equal(t, c.Collected > 0, strings.Contains(text, "collects "), c.Move)
			require.Equal(t, len(captured) == 0 && len(c.Removed) == 0 && !exchange, text == "", c.Move)
		}
	}
	require.Greater(t, told, 100)
}
