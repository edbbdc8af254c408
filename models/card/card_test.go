package card_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/models/card"
)

var update = flag.Bool("update", false, "rewrite testdata/card.md")

// golden returns a file of testdata.
func golden(t testing.TB, name string) string {
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return string(data)
}

// example returns the card in testdata.
func example(t testing.TB) card.Card {
	c, err := card.Read([]byte(golden(t, "card.json")))
	require.NoError(t, err)
	return c
}

// written returns the result of Write as compact JSON.
func written(t testing.TB, c card.Card) string {
	var text, compact bytes.Buffer
	require.NoError(t, c.Write(&text))
	require.NoError(t, json.Compact(&compact, text.Bytes()))
	return compact.String()
}

// TestReadAndWrite: a card that is read is written unchanged.
func TestReadAndWrite(t *testing.T) {
	c := example(t)
	require.Equal(t, 16000, c.Games)
	require.Equal(t, "avx512", c.Rated.Backend)
	require.Nil(t, c.Ratings[0].Elo.Value)
	require.Equal(t, 566.1, *c.Ratings[0].Elo.Low)
	require.Equal(t, "mcts:200", c.Rated.Anchor)
	require.NotNil(t, c.Curve[2].Elo.Low)
	again, err := card.Read([]byte(written(t, c)))
	require.NoError(t, err)
	require.Equal(t, c, again)
	require.JSONEq(t, golden(t, "card.json"), written(t, c))
}

// TestMarkdown: testdata/card.md is the page of the example.
func TestMarkdown(t *testing.T) {
	text := example(t).Markdown()
	if *update {
		require.NoError(t, os.WriteFile("testdata/card.md", []byte(text), 0o666))
	}
	require.Equal(t, golden(t, "card.md"), text)
}

// TestMarkdownOfManySeats: the page explains the seats if there are more than two.
func TestMarkdownOfManySeats(t *testing.T) {
	c := example(t)
	require.NotContains(t, c.Markdown(), "The network has one seat")
	for i := range c.Ratings {
		c.Ratings[i].EqualScore = 1. / 3
	}
	require.Contains(t, c.Markdown(), ". The network has one seat, its opponent all the others. Wins include shared wins. The score is points per game, 1 for a win, 1/k for a win shared by k seats;\n")
	require.Contains(t, c.Markdown(), "different kinds of opponents")
}

// TestMarkdownOfLittle: a card without matches has a page.
func TestMarkdownOfLittle(t *testing.T) {
	c := example(t)
	c.Ratings, c.Curve, c.Commands, c.Unmeasured, c.Config = nil, nil, nil, 0, ""
	require.NoError(t, c.Validate())
	text := c.Markdown()
	require.NotContains(t, text, "| against |")
	for _, absent := range []string{"## Learning curve", "How to reproduce it", "is not included", "## Configuration"} {
		require.Contains(t, example(t).Markdown(), strings.TrimPrefix(absent, "## "))
		require.NotContains(t, text, absent)
	}
}

// TestMarkdownPromises: the page promises identical weights on certain conditions, and makes no
// promise if the programs are unknown or changed during the run.
func TestMarkdownPromises(t *testing.T) {
	c := example(t)
	require.Contains(t, c.Markdown(), "weights will be identical")
	for _, test := range []struct {
		trained card.Builder
		want    []string
	}{
		{card.Builder{Tiro: "v1", Backend: "avx512, go"}, []string{"| trained by | tiro version v1, backend avx512, go |", "Several backends computed the network in the run (avx512, go)."}},
		{card.Builder{Tiro: "v1, v2", Backend: "go"}, []string{"| trained by | tiro version v1, v2, backend go |", "Several versions of tiro trained the network (v1, v2)"}},
		{card.Builder{Tiro: "(devel)", Backend: "go"}, []string{"| trained by | tiro version (devel), backend go |", "The version of tiro that trained the network was not recorded."}},
		{card.Builder{Backend: "go"}, []string{"| trained by | tiro version not recorded, backend go |", "The version of tiro that trained the network was not recorded."}},
	} {
		c.Trained = test.trained
		text := c.Markdown()
		require.NotContains(t, text, "weights will be identical")
		for _, want := range test.want {
			require.Contains(t, text, want)
		}
	}
}

// TestMarkdownHoldsWhatItIsGiven: text cannot end its cell, code or block.
func TestMarkdownHoldsWhatItIsGiven(t *testing.T) {
	c := example(t)
	c.Ratings[0].Opponent = `a|b\`
	c.Game = "a`b"
	c.Config = "# ````\n# end\n"
	text := c.Markdown()
	require.Contains(t, text, `| a\|b\\ | 200 |`)
	require.Contains(t, text, "learned `a'b` by")
	require.True(t, strings.HasSuffix(text, "\n`````yaml\n# ````\n# end\n`````\n"), text)
	requireTables(t, text)
}

// requireTables fails unless all rows of a table have as many cells as its head.
func requireTables(t testing.TB, text string) {
	cells, rows := 0, 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			break // the commands or the configuration
		}
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		plain := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, "")
		n := strings.Count(plain, "|")
		if cells == 0 {
			cells = n
		}
		require.Equal(t, cells, n, line)
		rows++
	}
	require.Positive(t, rows)
}

func TestElo(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	for want, e := range map[string]card.Elo{
		"+134 (+64 to +205)": {Value: x(134.2), Low: x(64), High: x(205)},
		"at least +287":      {Low: x(287)},
		"at most -12":        {High: x(-12.3)},
		"-10 to +20":         {Low: x(-10), High: x(20)},
		"unknown":            {},
	} {
		require.Equal(t, want, e.String())
	}
}

// TestReadRefuses: impossible cards are rejected.
func TestReadRefuses(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"newer", `"format": 5`, `"format": 6`, "format 6"},
		{"foreign", `"tiro card"`, `"tiro metrics"`, `wrong kind of file`},
		{"unknown field", `"seed": 1,`, `"seed": 1, "colour": 2,`, `unknown field "colour"`},
		{"no game", `"game": "connect4"`, `"game": ""`, `game is ""`},
		{"lines", `"machine": "AMD EPYC"`, `"machine": "AMD\nEPYC"`, `rated.machine is "AMD\nEPYC"`},
		{"escapes", `"machine": "AMD EPYC"`, `"machine": "\u001b[2J"`, `rated.machine is "\x1b[2J"`},
		{"unmeasured", `"unmeasured_generations": 1,`, `"unmeasured_generations": 41,`, `unmeasured_generations is "41"`},
		{"network", `"channels": 48`, `"channels": 0`, `channels`},
		{"parameters", `"parameters": 180123`, `"parameters": 0`, `parameters is "0"`},
		{"bytes", `"bytes": 721000`, `"bytes": 0`, `weights.bytes is "0"`},
		{"checksum", strings.Repeat("c", 64), strings.Repeat("c", 63) + "x", `weights.sha256 is "` + strings.Repeat("c", 58)},
		{"type", `"games": 16000`, `"games": 1.5`, "games"},
		{"rest", "\n}\n", "\n}\n{}", "after top-level value"},
		{"half", `"config"`, ``, "damaged"},
		{"long", `"config": "`, `"config": "` + strings.Repeat("x", 1<<16), `65536`},
		{"longer", `"config": "`, `"config": "` + strings.Repeat("x", card.MaxBytes), "1048576"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := golden(t, "card.json")
			require.Contains(t, text, test.old)
			_, err := card.Read([]byte(strings.Replace(text, test.old, test.new, 1)))
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestAllFaultsAtOnce: the error lists all faults.
func TestAllFaultsAtOnce(t *testing.T) {
	err := card.Card{}.Validate()
	for _, field := range []string{"game", "rated.backend", "net", "parameters", "weights.sha256", "rated.simulations"} {
		require.ErrorContains(t, err, field)
	}
	require.ErrorContains(t, card.Card{}.Write(&bytes.Buffer{}), "card: write: game is")
}
