package pgn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines returns moves as text, with numbers and comments, and variations in parentheses.
func lines(all []Move) string {
	var b strings.Builder
	for _, m := range all {
		b.WriteString(m.Text + " ")
		if m.Comment != "" {
			b.WriteString("{" + m.Comment + "} ")
		}
		for _, v := range m.Variations {
			b.WriteString("(" + lines(v) + ") ")
		}
	}
	return strings.TrimSpace(b.String())
}

func read(text string) (all []Game, err error) {
	for g, fault := range Games([]byte(text)) {
		if fault != nil {
			return all, fault
		}
		all = append(all, g)
	}
	return all, nil
}

func TestGames(t *testing.T) {
	text := "\ufeff[White \"a \\\"b\\\" \\\\\"]\r\n[ Black\t\"c\" ]\r\n\r\n%escaped\r\n{before} 1.e4 $1 e5!? 2. a7-b6(c5)!\r\n(2. x ; to the end )\r\n (2. y {in\nit} ) z(*)) 2... * {} 1-0\r\n" +
		"[Result \"*\"]\n*\n[A \"\"]\n1,-0.5,-0.5"
	all, err := read(text)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, `a "b" \`, all[0].Tag("White"))
	require.Equal(t, "c", all[0].Tag("Black"))
	require.Equal(t, "e4 e5 a7-b6(c5) (x {to the end )} (y {in it}) z(*)) *", lines(all[0].Moves))
	require.Equal(t, []string{"1-0", "*", "1,-0.5,-0.5"}, []string{all[0].Result, all[1].Result, all[2].Result})
	require.Equal(t, []int{1, 2}, []int{all[0].Tags[0].Line, all[0].Tags[1].Line})
	require.Equal(t, 8, all[0].Line)
}

func TestErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"e4":                                         "line 1: 'e' instead of a tag",
		"[A \"b\"]\n[B c]\n":                         "line 2: \"[B c]\" is not a tag",
		"[A \"b\"]\n1. e4\n":                         "line 3: the text ends",
		"[A \"b\"]\n1. e4\n[C \"\"]\n*":              "line 3: a tag before",
		"[A \"b\"]\n1. e4 )\n*":                      "line 2: )",
		"[A \"b\"]\n1. e4 (\n*":                      "line 3: the text ends",
		"[A \"b\"]\n1. e4 ((e5)) *":                  "line 2: a variation before",
		"[A \"b\"]\n\n{e4":                           "line 3: a comment",
		"[A \"b\"] e4 " + strings.Repeat("(e5 ", 40): "line 1: more than 32",
	} {
		_, err := read(text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestAppend: lines are short, and a written game is read back.
func TestAppend(t *testing.T) {
	g := Game{Tags: []Tag{{Name: "White", Value: "a\"b\\\n"}}, Result: "1/2-1/2"}
	for i := range 100 {
		m := Move{Number: i, Later: i%2 > 0, Text: "a7-b6(c5)"}
		if i%7 == 0 {
			m.Comment = "one } two\nthree"
		}
		if i%9 == 0 {
			m.Variations = [][]Move{{{Text: "x", Variations: [][]Move{{{Text: "y"}}}}}, {{Number: 1, Text: "z"}}}
		}
		g.Moves = append(g.Moves, m)
	}
	text := string(g.Append(nil))
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(line), columns+4, line)
	}
	require.Contains(t, text, "(1. z) 1... a7-b6(c5) 2. a7-b6(c5) a7-b6(c5)\n4. a7-b6(c5)")
	all, err := read(text + text)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, `a"b\ `, all[1].Tag("White"))
	require.Equal(t, strings.NewReplacer("} two\nthree", ") two three").Replace(lines(g.Moves)), lines(all[1].Moves))
	require.True(t, Is([]byte(text)))
	require.False(t, Is([]byte(`["a"]`)))
}

// FuzzGames: every text is read or refused, and games that were read are written and read
// back.
func FuzzGames(f *testing.F) {
	f.Add("[A \"b\"]\n1. e4 (1. d4 {x}) e5 ; y\n2. f4 $3 * [B \"\"] *")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := read(text)
		if err != nil {
			return
		}
		for _, g := range all {
			again, err := read(string(g.Append(nil)))
			require.NoError(t, err)
			require.Len(t, again, 1)
			require.Equal(t, lines(g.Moves), lines(again[0].Moves))
		}
	})
}
