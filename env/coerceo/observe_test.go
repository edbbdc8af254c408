package coerceo

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// turned returns the position rotated by 180 degrees, which swaps the colours (1.6), with
// the hands and the player on turn swapped as well.
func turned(pos string) string {
	words := strings.Fields(pos)
	tokens := strings.Split(words[0], ".")
	out := make([]string, len(tokens))
	for i, token := range tokens {
		var mask int
		if token != "--" {
			_, err := fmt.Sscanf(token, "%x", &mask)
			if err != nil {
				panic(err)
			}
			token = fmt.Sprintf("%02x", (mask<<3|mask>>3)&63)
		}
		out[len(out)-1-i] = token
	}
	turn := map[string]string{"w": "b", "b": "w"}[words[1]]
	return strings.Join([]string{strings.Join(out, "."), turn, words[3], words[2]}, " ")
}

// TestFrame: a position and its colour-swapped image have the same planes and legal actions
// from the viewpoints of their players on turn.
func TestFrame(t *testing.T) {
	for _, game := range []string{"coerceo", "coerceo:win=competitive,exchangecounts=false"} {
		a, b := newGame(t, game).New().(*State), newGame(t, game).New().(*State)
		x, y := make([]float32, planes*gridCells), make([]float32, planes*gridCells)
		for _, g := range lines[goldenPosition](t, "positions.jsonl") {
			require.NoError(t, a.SetPosition(g.Pos))
			require.NoError(t, b.SetPosition(turned(g.Pos)))
			a.Observe(x)
			b.Observe(y)
			require.Equal(t, x, y, g.Pos)
			require.Equal(t, a.Legal(nil), b.Legal(nil), g.Pos)
			require.Equal(t, a.ending, b.ending)
			require.Equal(t, a.Score()[a.Turn()], b.Score()[b.Turn()])
		}
	}
}

// TestPlanes checks the planes of a simple position: White's pieces stand on c3c and c2e,
// Black's on c2f between them, and c2a is empty.
func TestPlanes(t *testing.T) {
	const pos = "--.--.--.--.03.00.--.--.00.08.00.--.--.00.00.--.--.--.-- w 2 1"
	s := at(t, "coerceo:win=base", pos)
	x := make([]float32, planes*gridCells)
	s.Observe(x)
	cell := func(plane int, tile string) float32 {
		for b, name := range geo.name {
			if name == tile {
				return x[plane*gridCells+int(geo.cell[White][b])]
			}
		}
		t.Fatal(tile)
		return 0
	}
	require.EqualValues(t, 1, cell(ownPieces+1, "c3"), "c3c is field 3")
	require.EqualValues(t, 1, cell(ownPieces, "c2"), "c2e is field 1")
	require.EqualValues(t, 1, cell(enemyPieces, "c2"), "c2f is field 0")
	require.EqualValues(t, 1, cell(ownGoals+2, "c2"), "c2a is field 5 and can be entered")
	require.InDelta(t, 5./6, cell(ownMoves+1, "c3"), 1e-6, "one of c3c's six destinations, c2e, is occupied")
	require.EqualValues(t, 0, cell(enemyThreatened, "c2"), "only the enclosing pieces themselves could enclose it")
	require.EqualValues(t, 1, cell(ownSoon+2, "c2"))
	require.EqualValues(t, 0, cell(ownSoon+1, "c3"), "there is a piece")
	require.EqualValues(t, 1./2, cell(ownSoon+1, "c4"), "c3c reaches c4c by c3a or c3e")
	require.EqualValues(t, 1./4, cell(enemySoon, "c4"), "c2f needs four moves to c4f")
	require.EqualValues(t, 1./2, cell(ownSoonCaptured, "c2"), "a move each to c2d and d2b")
	require.EqualValues(t, 1, cell(enemySoonCaptured, "c2"), "c2a is the only empty neighbour")
	require.EqualValues(t, 1, cell(tilesPresent, "b2"))
	require.EqualValues(t, 0, cell(tilesPresent, "a1"))
	require.EqualValues(t, 1, cell(tilesLoose, "c2"), "three neighbours in a row")
	require.EqualValues(t, 0, cell(tilesLoose, "c3"))
	require.EqualValues(t, 0, cell(ownLeaving, "c2"), "two pieces on the tile")
	require.EqualValues(t, 2./8, cell(ownHand, "a1"))
	require.EqualValues(t, 1./8, cell(enemyHand, "a1"))
	require.EqualValues(t, 1./4, cell(ownExchanges, "a1"))
	require.EqualValues(t, 0, cell(enemyExchanges, "a1"))
	require.EqualValues(t, float32(1)/18, cell(ownToWin, "a1"))
	require.EqualValues(t, float32(2)/18, cell(enemyToWin, "a1"))
	require.EqualValues(t, float32(7)/19, cell(tilesLeft, "a1"))
}

// neighbours returns the neighbouring fields and the destinations of moves in geometry.json, by
// field.
func neighbours(t *testing.T) map[string]struct{ Edge, Moves []string } {
	var g struct {
		Fields map[string]struct{ Edge, Moves []string }
	}
	require.NoError(t, json.Unmarshal([]byte(open(t, "geometry.json")), &g))
	return g.Fields
}

// fieldsOf returns the fields on the board, and whether each holds a piece.
func fieldsOf(p *Position) map[string]bool {
	piece := map[string]bool{}
	for f := range uint8(6) {
		for m := p.tiles; m != 0; m &= m - 1 {
			tile := uint8(bits.TrailingZeros32(m))
			piece[fieldName(f, tile)] = p.fields[f]>>tile&1 == 1
		}
	}
	return piece
}

// empty returns the given fields that are on the board and without a piece.
func empty(fields []string, piece map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(name string) bool {
		occupied, present := piece[name]
		return occupied || !present
	})
}

// TestExposed compares the planes of moves in golden positions with a count that knows only the
// neighbours in geometry.json.
func TestExposed(t *testing.T) {
	fields := neighbours(t)
	count := func(p *Position, c env.Player) (n float32) {
		piece := fieldsOf(p)
		for name, occupied := range piece {
			colour := env.Player(1 - strings.IndexByte("fedcba", name[2])%2) // odd fields are white
			edge := fields[name].Edge
			last := empty(edge, piece)
			if occupied && colour == c && len(last) == 1 && slices.ContainsFunc(fields[last[0]].Moves, func(from string) bool {
				return piece[from] && !slices.Contains(edge, from)
			}) {
				n++
			}
		}
		return n
	}
	seen := map[float32]int{}
	x := make([]float32, planes*gridCells)
	for _, golden := range lines[goldenPosition](t, "positions.jsonl")[:300] {
		s := at(t, "coerceo", golden.Pos)
		s.Observe(x)
		own, enemy := s.pos.turn, 1-s.pos.turn
		planes := [][]float32{x[ownExposed*gridCells : enemyExposed*gridCells], x[enemyExposed*gridCells:]}
		for _, a := range s.pos.Legal(nil) {
			if a >= exchangePlane*gridCells {
				continue
			}
			child := s.pos
			child.Play(a)
			for i, c := range []env.Player{own, enemy} {
				require.Equal(t, count(&child, c)-count(&s.pos, c), planes[i][a], "%s %s", golden.Pos, s.ActionString(a))
				seen[planes[i][a]]++
				planes[i][a] = 0
			}
		}
		for _, rest := range planes {
			require.Zero(t, slices.Max(rest), "illegal moves")
			require.Zero(t, slices.Min(rest), "illegal moves")
		}
	}
	require.Greater(t, len(seen), 6)
}

// TestSoon compares the moves to fields and the moves to enclose pieces in golden positions
// with a search that knows only the neighbours in geometry.json.
func TestSoon(t *testing.T) {
	fields := neighbours(t)
	far, enclosed := 0, 0
	for _, golden := range lines[goldenPosition](t, "positions.jsonl") {
		p, err := Parse(golden.Pos, 2)
		require.NoError(t, err)
		piece, moves := fieldsOf(&p), map[string]int{}
		var queue []string
		for name, occupied := range piece {
			if occupied {
				queue = append(queue, name)
			}
		}
		for ; len(queue) > 0; queue = queue[1:] {
			for _, to := range empty(fields[queue[0]].Moves, piece) {
				if moves[to] == 0 {
					moves[to] = moves[queue[0]] + 1
					far = max(far, moves[to])
					queue = append(queue, to)
				}
			}
		}
		soon := p.movesTo()
		for f := range uint8(6) {
			for m := p.tiles; m != 0; m &= m - 1 {
				tile := uint8(bits.TrailingZeros32(m))
				name := fieldName(f, tile)
				if !piece[name] && moves[name] == 0 {
					moves[name] = never
				}
				require.EqualValues(t, moves[name], soon[f][tile], "%s %s", golden.Pos, name)
			}
		}
		for f := range uint8(6) {
			for m := p.fields[f]; m != 0; m &= m - 1 {
				tile, want, unreachable := bits.TrailingZeros32(m), 0, false
				name := fieldName(f, uint8(tile))
				for _, side := range fields[name].Edge {
					want += moves[side]
					unreachable = unreachable || moves[side] == never
				}
				n := movesToEnclose(&laneOf[f], tile, &soon)
				require.Equal(t, want, n, "%s %s", golden.Pos, name)
				require.Equal(t, unreachable, n >= never)
				if n == 0 {
					enclosed++
				}
			}
		}
	}
	require.Greater(t, far, 5)
	require.Positive(t, enclosed)
}

// TestNeverCaptured: no piece can reach the neighbours of a piece on an island.
func TestNeverCaptured(t *testing.T) {
	p, err := Parse("01.--.--.--.--.--.--.--.--.--.--.--.--.--.--.--.--.--.02 w 0 0", 2)
	require.NoError(t, err)
	soon := p.movesTo()
	tile := geo.bit[0]
	require.EqualValues(t, never, soon[1][tile])
	require.EqualValues(t, 1, soon[2][tile])
	require.GreaterOrEqual(t, movesToEnclose(&laneOf[0], int(tile), &soon), never)
	require.Zero(t, inverses[never])
}

// TestClocksInHashAndPlanes: hashes and planes distinguish states exactly if their futures
// differ.
func TestClocksInHashAndPlanes(t *testing.T) {
	hashes := func(game string) (direct, detour uint64, seen float32) {
		a := newGame(t, game).New().(*State)
		b := copyOf(a)
		play(t, b, thereAndBack...)
		b.ply, b.clock = a.ply, a.clock
		x := make([]float32, planes*gridCells)
		b.Observe(x)
		return a.Hash(), b.Hash(), x[recurrence*gridCells]
	}
	a, b, seen := hashes("coerceo:win=competitive")
	require.NotEqual(t, a, b)
	require.EqualValues(t, 0.5, seen)
	a, b, seen = hashes("coerceo:repetition=0")
	require.Equal(t, a, b)
	require.Zero(t, seen)

	s := newGame(t, "coerceo").New().(*State)
	seenHash := map[uint64]bool{s.Hash(): true}
	for _, change := range []func(){
		func() { s.ply++ }, func() { s.clock++ }, func() { s.past++ }, func() { s.exchanged[0]++ }, func() { s.exchanged[1]++ },
	} {
		change()
		require.False(t, seenHash[s.Hash()])
		seenHash[s.Hash()] = true
	}
}

// TestKeys: different positions have different keys.
func TestKeys(t *testing.T) {
	keys := map[uint64]string{}
	var add func(p Position, depth int)
	add = func(p Position, depth int) {
		text := p.String()
		other, taken := keys[p.key()]
		require.True(t, !taken || other == text)
		keys[p.key()] = text
		for _, a := range p.Legal(nil) {
			if depth > 0 {
				child := p
				child.Play(a)
				add(child, depth-1)
			}
		}
	}
	add(Start(2), 2)
	for _, g := range lines[goldenPosition](t, "positions.jsonl")[:200] {
		p, err := Parse(g.Pos, 2)
		require.NoError(t, err)
		add(p, 1)
	}
	require.Greater(t, len(keys), 7000)
}

// TestSymmetriesKeepTheStart: the start (2) is symmetric and has 8 classes of first moves.
func TestSymmetriesKeepTheStart(t *testing.T) {
	g := newGame(t, "coerceo")
	classes := map[env.Action]bool{}
	for _, a := range g.New().Legal(nil) {
		least := a
		for _, sym := range g.Symmetries() {
			least = min(least, sym.Action[a])
		}
		classes[least] = true
	}
	require.Len(t, classes, 8)
}

// TestDraw: colour only adds escape sequences.
func TestDraw(t *testing.T) {
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, g := range lines[goldenPosition](t, "positions.jsonl")[:300] {
		s := at(t, "coerceo", g.Pos)
		text, coloured := s.Draw(env.Screen{}), s.Draw(env.Screen{Colour: true})
		require.Equal(t, text, escapes.ReplaceAllString(coloured, ""))
		for colour, piece := range pieceText {
			require.Equal(t, 1+s.pos.Pieces(env.Player(colour)), strings.Count(text, piece), text)
		}
		for b, name := range geo.name {
			require.Equal(t, s.pos.tiles>>b&1 == 1, name != "" && strings.Contains(text, "."+name+"."), text)
		}
		require.Contains(t, text, map[bool]string{true: " to move", false: s.Ending()}[s.ending == unfinished])
	}
}
