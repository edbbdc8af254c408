package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/models/card"
)

// exampleCard returns the card in the test data of package card.
func exampleCard(t testing.TB) card.Card {
	data, err := os.ReadFile("../models/card/testdata/card.json")
	require.NoError(t, err)
	c, err := card.Read(data)
	require.NoError(t, err)
	return c
}

// logWith returns the text of a log with one match of the example card.
func logWith(t testing.TB, p Pairing, r card.Rating) string {
	path := filepath.Join(t.TempDir(), matchesFile)
	log, err := OpenMatchLog(disk.OS{}, path)
	require.NoError(t, err)
	log.Add(p, r)
	log.Add(p, r)
	require.Equal(t, 1, log.Len(), "a match is logged once")
	require.NoError(t, log.Save())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestMatchLog(t *testing.T) {
	c := exampleCard(t)
	p := Pairing{
		Tiro: c.Rated.Tiro, Weights: c.Weights.SHA256, Opponent: "mcts:2000",
		Games: 200, Simulations: 400, Opening: 4, Seed: 1, Backend: "avx512",
	}
	require.Equal(t, p, pairing(c.Rated, c.Weights.SHA256, "mcts:2000", 200))
	text := logWith(t, p, c.Ratings[2])
	log := &MatchLog{}
	require.NoError(t, log.read([]byte(text)))
	require.Equal(t, logHeader, log.content.Header)
	found, ok := log.Find(p)
	require.True(t, ok)
	require.Equal(t, c.Ratings[2], found)
	for name, change := range map[string]func(*Pairing){
		"tiro":        func(p *Pairing) { p.Tiro = "(devel)" },
		"weights":     func(p *Pairing) { p.Weights = c.Curve[0].Weights },
		"opponent":    func(p *Pairing) { p.Opponent = "mcts:200" },
		"games":       func(p *Pairing) { p.Games++ },
		"simulations": func(p *Pairing) { p.Simulations++ },
		"opening":     func(p *Pairing) { p.Opening++ },
		"seed":        func(p *Pairing) { p.Seed++ },
		"backend":     func(p *Pairing) { p.Backend = "go" },
	} {
		other := p
		change(&other)
		_, ok := log.Find(other)
		require.False(t, ok, name)
	}
}

// TestMatchLogRefuses what Tiro would not have written.
func TestMatchLogRefuses(t *testing.T) {
	c := exampleCard(t)
	text := logWith(t, pairing(c.Rated, c.Weights.SHA256, "mcts:2000", 200), c.Ratings[2])
	twice := strings.Replace(text, `"matches": [`, `"matches": [`+between(t, text, `"matches": [`, "\n  ]\n}")+",", 1)
	for _, test := range []struct{ text, old, new, want string }{
		{text, `"tiro match log"`, `"tiro card"`, "not a file of this kind"},
		{text, `"format": 1`, `"format": 2`, "written by a newer tiro: format 2, this one reads format 1"},
		{text, `"games": 200,`, `"games": 100,`, `matches[0].games is "100"; want as many as are rated`},
		{text, `"tiro": "v1.0.0 0123456789ab",`, "", `matches[0].tiro is ""; want a line of plain text`},
		{text, `"opponent": "mcts:2000"`, `"opponent": ""`, "matches[0].opponent is"},
		{text, `"simulations": 400`, `"simulations": 0`, "matches[0].simulations is"},
		{text, `"wins": 90`, `"wins": 89`, "matches[0].rating is"},
		{text, `"seed": 1`, `"seed": 1, "colour": 2`, `unknown field "colour"`},
		{text, strings.Repeat("c", 64), "", "matches[0].weights is"},
		{twice, "{", "{", `matches[1].opponent is "mcts:2000"; want one that these weights have not met before in the same way`},
	} {
		require.Contains(t, test.text, test.old)
		path := filepath.Join(t.TempDir(), matchesFile)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(test.text, test.old, test.new, 1)), 0o666))
		_, err := OpenMatchLog(disk.OS{}, path)
		require.ErrorContains(t, err, path+": ")
		require.ErrorContains(t, err, test.want)
		require.ErrorContains(t, err, "; move it elsewhere, or name another folder")
	}
}

// between returns what stands between two parts of a text.
func between(t testing.TB, text, before, after string) string {
	_, rest, ok := strings.Cut(text, before)
	require.True(t, ok)
	middle, _, ok := strings.Cut(rest, after)
	require.True(t, ok)
	return middle
}

// TestAddCard: a card tells of all its matches.
func TestAddCard(t *testing.T) {
	c := exampleCard(t)
	log := &MatchLog{}
	log.addCard(c)
	require.Equal(t, 3+3+2, log.Len())
	for _, match := range []struct {
		weights, opponent string
		rating            card.Rating
	}{
		{c.Weights.SHA256, "random", c.Ratings[0]},
		{c.Weights.SHA256, "mcts:200", c.Curve[2].Reference},
		{c.Curve[0].Weights, "mcts:200", c.Curve[0].Reference},
		{c.Curve[1].Weights, c.Curve[0].Weights, *c.Curve[1].Previous},
		{c.Weights.SHA256, c.Curve[1].Weights, *c.Curve[2].Previous},
	} {
		found, ok := log.Find(pairing(c.Rated, match.weights, match.opponent, match.rating.Games))
		require.True(t, ok)
		require.Equal(t, match.rating, found)
	}
}

// TestFormats: docs/FORMATS.md has the headers of this package's files and names
// every field of matches.json.
func TestFormats(t *testing.T) {
	data, err := os.ReadFile("../docs/FORMATS.md")
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, fmt.Sprintf("| `matches.json` of `tiro card` and `tiro ablate` | `%s` | %d |\n", logHeader.What, logHeader.Format))
	require.Contains(t, text, fmt.Sprintf("| `report.json` of `tiro ablate` | `%s` | %d |\n", reportHeader.What, reportHeader.Format))
	part := between(t, text, "<!-- match log: begin -->", "<!-- match log: end -->")
	for _, of := range []reflect.Type{reflect.TypeFor[logContent](), reflect.TypeFor[match](), reflect.TypeFor[Pairing]()} {
		for _, f := range reflect.VisibleFields(of) {
			if name := f.Tag.Get("json"); name != "" && name != "format" && name != "what" {
				require.Contains(t, part, "`"+name+"`")
			}
		}
	}
}

// FuzzMatchLog: a log is refused, or written again as it was read.
func FuzzMatchLog(f *testing.F) {
	c := exampleCard(f)
	p := Pairing{Tiro: "(devel)", Weights: c.Weights.SHA256, Opponent: "random", Games: 200, Simulations: 1, Backend: "go"}
	f.Add([]byte(logWith(f, p, c.Ratings[0])))
	f.Add([]byte(`{"format":1,"what":"tiro match log","matches":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		log, again := &MatchLog{}, &MatchLog{}
		if log.read(data) != nil {
			return
		}
		var text bytes.Buffer
		require.NoError(t, json.NewEncoder(&text).Encode(log.content))
		require.NoError(t, again.read(text.Bytes()))
		require.Equal(t, log.Len(), again.Len())
		for _, m := range log.content.Matches {
			found, ok := again.Find(m.Pairing)
			require.True(t, ok)
			require.Equal(t, m.Rating, found)
		}
	})
}
