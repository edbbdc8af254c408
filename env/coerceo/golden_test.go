package coerceo

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// open returns the decompressed text of a file in testdata.
func open(t testing.TB, name string) string {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".gz")
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// lines decodes a gzipped file of JSON lines.
func lines[T any](t testing.TB, name string) (all []T) {
	t.Helper()
	scan := bufio.NewScanner(strings.NewReader(open(t, name)))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var v T
		require.NoError(t, json.Unmarshal(scan.Bytes(), &v))
		all = append(all, v)
	}
	require.NoError(t, scan.Err())
	require.NotEmpty(t, all)
	return all
}

type goldenPosition struct {
	ID       int
	Class    string
	Pos      string
	Cost     int
	Legal    []string
	Digest   string `json:"children_sha256"`
	Move     string
	After    string
	Captured []string
	Removed  []string
	Result   string

	Collected int
}

func TestGoldenPositions(t *testing.T) {
	for name, want := range map[string]int{"positions.jsonl": 2000, "positions_cost1.jsonl": 400} {
		t.Run(name, func(t *testing.T) {
			all := lines[goldenPosition](t, name)
			require.Len(t, all, want)
			for _, g := range all {
				checkGolden(t, g)
			}
		})
	}
}

func checkGolden(t *testing.T, g goldenPosition) {
	p, err := Parse(g.Pos, g.Cost)
	require.NoError(t, err)
	require.Equal(t, g.Pos, p.String())
	r := p.Record()
	require.Equal(t, g.Legal, r.Legal, "%d %s", g.ID, g.Pos)
	require.Equal(t, len(r.Legal), p.Count())
	var all strings.Builder
	found := false
	for _, c := range r.Children {
		fmt.Fprintf(&all, "%s|%s|%s|%s|%d|%s\n", c.Move, c.After, strings.Join(c.Captured, ","), strings.Join(c.Removed, ","), c.Collected, c.Result)
		if c.Move == g.Move {
			found = true
			require.Equal(t, Child{g.Move, g.After, g.Captured, g.Removed, g.Collected, g.Result}, c, "%d %s", g.ID, g.Pos)
		}
	}
	require.True(t, found, "%d: move %s not found in %s", g.ID, g.Move, g.Pos)
	digest := sha256.Sum256([]byte(all.String()))
	require.Equal(t, g.Digest, hex.EncodeToString(digest[:]), "%d %s", g.ID, g.Pos)
}

// TestGoldenGames replays whole games and checks that every move is legal, the numbers of
// captures, the final position and the ending.
func TestGoldenGames(t *testing.T) {
	type game struct {
		Moves              []string
		Captures           map[string]int
		Final, Result, End string
	}
	all := lines[game](t, "games.jsonl")
	require.Len(t, all, 200)
	for i, g := range all {
		p := Start(2)
		for ply, move := range g.Moves {
			legal := p.Legal(nil)
			n := slices.IndexFunc(legal, func(a env.Action) bool { return p.ActionString(a) == move })
			require.GreaterOrEqual(t, n, 0, "game %d ply %d: %s in %s", i, ply, move, p.String())
			p.Play(legal[n])
		}
		require.Equal(t, g.Final, p.String(), "game %d", i)
		require.Equal(t, g.Result, p.Result(), "game %d", i)
		require.Equal(t, g.Captures, map[string]int{"w": 18 - p.Pieces(Black), "b": 18 - p.Pieces(White)})
		require.Equal(t, g.End == "maxply", p.Count() > 0, "game %d", i)
	}
}

func TestGoldenPerft(t *testing.T) {
	type stats struct{ Leaves, Captured, Tiles, Multitile, Exchanges, Wins uint64 }
	type suite struct {
		Pos    string
		Cost   int
		Perft  []uint64
		Stats4 stats
	}
	all := lines[suite](t, "perft.jsonl")
	require.Len(t, all, 10)
	for _, g := range all[:effort.Of(2, 4, len(all))] {
		p, err := Parse(g.Pos, g.Cost)
		require.NoError(t, err)
		for i, want := range g.Perft {
			require.Equal(t, want, p.Perft(i+1), "%s depth %d", g.Pos, i+1)
		}
		var got stats
		var walk func(p Position, depth int)
		walk = func(p Position, depth int) {
			for _, a := range p.Legal(nil) {
				child := p
				e := child.play(a)
				if depth > 1 {
					walk(child, depth-1)
					continue
				}
				got.Leaves++
				for _, m := range e.captured {
					got.Captured += uint64(ones(m))
				}
				got.Tiles += uint64(ones(e.removed))
				if ones(e.removed) > 1 {
					got.Multitile++
				}
				if a >= exchangePlane*gridCells {
					got.Exchanges++
				}
				if child.over() {
					got.Wins++
				}
			}
		}
		walk(p, 4)
		require.Equal(t, g.Stats4, got, g.Pos)
	}
}

func ones(m uint32) (n int) {
	for ; m != 0; m &= m - 1 {
		n++
	}
	return n
}

// TestPerft counts from the start position (10), to depth 5 in a long test.
func TestPerft(t *testing.T) {
	p := Start(2)
	for i, n := range []uint64{48, 2304, 110304, 5280654, 254945184}[:effort.Of(4, 4, 5)] {
		require.Equal(t, n, p.Perft(i+1), "depth %d", i+1)
	}
}

// TestGeometry compares the tables with geometry.json: 1.1 to 1.5 and 2.
func TestGeometry(t *testing.T) {
	var g struct {
		Tiles []struct {
			Index      int
			Name       string
			X, Y       int
			Neighbours []string `json:"neighbours_by_direction"` // "" if there is none
		}
		Fields map[string]struct {
			Tile        int
			F           uint8
			Colour      string
			Edge, Moves []string
		}
		Start struct {
			Pos          string
			White, Black []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(open(t, "geometry.json")), &g))
	require.Len(t, g.Tiles, tileCount)
	for i, tile := range g.Tiles {
		b := geo.bit[i]
		require.Equal(t, tile.Name, geo.name[b])
		require.Equal(t, bitAt(tile.X, tile.Y), b)
		pattern := around(geo.board, b)
		for k, name := range tile.Neighbours {
			require.Equal(t, name, geo.name[(int(b)+step[k])&31], "%s direction %d", tile.Name, k)
			require.Equal(t, name != "", pattern>>[6]int{5, 3, 1, 0, 2, 4}[k]&1 == 1)
		}
	}
	require.Len(t, g.Fields, 6*tileCount)
	for name, field := range g.Fields {
		b := geo.bit[field.Tile]
		require.Equal(t, name, fieldName(field.F, b))
		require.Equal(t, field.Edge, edgesOf(field.F, b), name)
		require.Equal(t, field.Moves, movesOf(field.F, b), name)
		require.Equal(t, field.Colour, [2]string{"white", "black"}[1-field.F%2])
	}
	require.Equal(t, g.Start.Pos, startPosition)
	start := Start(2)
	for c, fields := range [2][]string{g.Start.White, g.Start.Black} {
		require.Equal(t, 18, start.Pieces(env.Player(c)))
		require.Len(t, fields, 18)
	}
}

// edgesOf lists the edge neighbours of a field on the full board.
func edgesOf(f, b uint8) (names []string) {
	e := laneOf[f]
	names = append(names, fieldName(e.before, b), fieldName(e.after, b))
	if ahead := (int(b) - e.ahead) & 31; geo.board>>ahead&1 == 1 {
		names = append(names, fieldName(e.facing, uint8(ahead)))
	}
	slices.Sort(names)
	return names
}

// movesOf lists the destinations of a single piece on the full board.
func movesOf(f, b uint8) (names []string) {
	p := Position{tiles: geo.board, price: 2, turn: White}
	if f%2 == 0 {
		p.turn = Black
	}
	p.fields[f] = 1 << b
	p.fields[(f+1)%6] = geo.board // enemies do not block moves (R2), and prevent the end of the game
	for _, a := range p.Legal(nil) {
		names = append(names, p.ActionString(a)[4:])
	}
	slices.Sort(names)
	return names
}
