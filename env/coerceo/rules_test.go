package coerceo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/internal/effort"
)

// unlimited turns the technical limits off.
const unlimited = ",noprogress=0,maxplies=60000"

// play performs turns given in notation.
func play(t testing.TB, s *State, names ...string) {
	t.Helper()
	for _, name := range names {
		a, err := env.ParseAction(s, name)
		require.NoError(t, err)
		s.Play(a)
	}
}

// at returns a state of the named game at the given position.
func at(t testing.TB, game, pos string) *State {
	t.Helper()
	s := newGame(t, game).New().(*State)
	require.NoError(t, s.SetPosition(pos))
	return s
}

func requireResult(t testing.TB, s *State, ending string, white float32) {
	t.Helper()
	v, over := s.Result()
	require.True(t, over, "want %s", ending)
	require.Equal(t, ending, s.Ending())
	require.Equal(t, env.Value{white, -white}, v)
	require.Empty(t, s.Legal(nil))
}

// thereAndBack is a sequence of turns of both sides that restores the position.
var thereAndBack = []string{"c4a-c4c", "c1b-c1f", "c4c-c4a", "c1f-c1b"}

// TestRepetition: 6.3, R21, R22. A draw by repetition must be claimed under the competitive
// rules and is automatic under the others.
func TestRepetition(t *testing.T) {
	for game, plies := range map[string]int{
		"coerceo": 8, "coerceo:win=base": 8, "coerceo:win=short": 8,
		"coerceo:repetition=2": 4, "coerceo:repetition=4": 12, "coerceo:repetition=5": 16,
	} {
		s := newGame(t, game).New().(*State)
		for ply := range plies {
			_, over := s.Result()
			require.False(t, over, "%s ply %d", game, ply)
			play(t, s, thereAndBack[ply%4])
		}
		requireResult(t, s, "repetition", 0)
	}
}

func TestClaim(t *testing.T) {
	g := newGame(t, "coerceo:win=competitive")
	s := g.New().(*State)
	for ply := range 20 {
		require.Equal(t, ply >= 8, s.claimable(), "ply %d", ply)
		require.Equal(t, ply >= 8, env.CheckAction(s, Claim) == nil, "ply %d", ply)
		play(t, s, thereAndBack[ply%4])
	}
	claimed := copyOf(s)
	play(t, claimed, "claim")
	requireResult(t, claimed, "claim", 0)

	// A position that is new cannot be claimed, whatever may be repeated later.
	play(t, s, "a1a-a1e")
	require.False(t, s.claimable())

	// The player on turn and the history are part of the position.
	s = at(t, "coerceo:win=competitive", s.Position())
	for ply := range 8 {
		require.False(t, s.claimable())
		play(t, s, []string{"c1b-c1f", "c4a-c4c", "c1f-c1b", "c4c-c4a"}[ply%4])
	}
	require.True(t, s.claimable())
	_, err := env.ParseAction(newGame(t, "coerceo").New(), "claim")
	require.ErrorIs(t, err, env.ErrIllegal)
}

func copyOf(s *State) *State {
	c := new(State)
	c.CopyFrom(s)
	return c
}

// TestRepetitionWindow: without a no-progress limit, positions are remembered for 256
// plies.
func TestRepetitionWindow(t *testing.T) {
	s := newGame(t, "coerceo:win=competitive"+unlimited).New().(*State)
	for ply := range 5 * historyLen {
		play(t, s, thereAndBack[ply%4])
		require.Equal(t, 1+min(ply+1, historyLen)/4, int(s.seen), "ply %d", ply)
	}
}

// TestLimits: the no-progress limit counts plies since a piece or tile left the board, the
// ply limit counts all plies.
func TestLimits(t *testing.T) {
	s := newGame(t, "coerceo:noprogress=5").New().(*State)
	for ply := range 5 {
		play(t, s, thereAndBack[ply%4])
	}
	requireResult(t, s, "no-progress", 0)

	s = newGame(t, "coerceo:maxplies=3").New().(*State)
	play(t, s, thereAndBack[:3]...)
	requireResult(t, s, "ply-limit", 0)

	for _, g := range lines[goldenPosition](t, "positions.jsonl")[:500] {
		s := at(t, "coerceo:win=base", g.Pos)
		s.clock, s.past, s.seen = 7, 1, 2
		play(t, s, g.Move)
		progress := strings.HasPrefix(g.Move, "x") || len(g.Captured) > 0 || len(g.Removed) > 0
		require.Equal(t, progress, s.clock == 0, "%s %s", g.Pos, g.Move)
		require.Equal(t, progress, s.past == 0, "%s %s", g.Pos, g.Move)
	}
}

// TestWinningRules replays golden games under every rule: the last piece, and twelve pieces
// with and without exchanged pieces (6, R12).
func TestWinningRules(t *testing.T) {
	type game struct {
		Moves  []string
		Result string
		End    string
	}
	score := map[string]float32{"1-0": 1, "0-1": -1, "*": 0}
	for _, g := range lines[game](t, "games.jsonl")[:effort.Of(10, 20, 60)] {
		s := newGame(t, "coerceo:win=base,repetition=0"+unlimited).New().(*State)
		twelve := newGame(t, "coerceo:win=short,repetition=0"+unlimited).New().(*State)
		enclosed := newGame(t, "coerceo:win=competitive,exchangecounts=false"+unlimited).New().(*State)
		var captured [2]int
		for _, move := range g.Moves {
			mover := s.Turn()
			for _, c := range s.pos.Children() {
				if c.Move == move {
					captured[mover] += len(c.Captured)
				}
			}
			play(t, s, move)
			if twelve.ending == unfinished {
				play(t, twelve, move)
				if s.pos.Pieces(1-mover) <= 6 {
					requireResult(t, twelve, "twelve", float32(1-2*mover))
				}
			}
			if enclosed.ending == unfinished {
				play(t, enclosed, move)
				require.Equal(t, captured[mover], enclosed.lost(1-mover))
				if captured[mover] >= 12 {
					requireResult(t, enclosed, "twelve", float32(1-2*mover))
				}
			}
		}
		if g.End == "last-piece" {
			requireResult(t, s, "last-piece", score[g.Result])
			require.NotEqual(t, unfinished, twelve.ending)
			require.NotEqual(t, unfinished, enclosed.ending)
		}
	}
}

// TestNoMove: 6.2, R14. White's pieces fill the white fields of both tiles.
func TestNoMove(t *testing.T) {
	const pos = "--.--.--.--.--.--.--.--.--.2b.--.--.--.--.2a.--.--.--.-- w 1 0"
	for game, white := range map[string]float32{
		"coerceo": 0, "coerceo:win=base": -1, "coerceo:win=base,nomove=draw": 0, "coerceo:nomove=loss": -1,
	} {
		requireResult(t, at(t, game, pos), "no-move", white)
	}
	_, over := at(t, "coerceo:price=1", pos).Result() // an exchange is a turn (R16)
	require.False(t, over)
	requireResult(t, at(t, "coerceo:win=short", pos), "twelve", -1) // losing twelve pieces takes precedence
}

// TestDeadPosition: 6.1, R13, which applies under the casual rules only.
func TestDeadPosition(t *testing.T) {
	const (
		lone  = "--.--.--.--.--.--.--.--.--.02.--.--.--.--.01.--.--.--.-- w 0 0"
		close = "--.--.--.--.--.--.--.--.--.1d.--.--.--.--.--.--.--.--.-- w 0 0"
	)
	requireResult(t, at(t, "coerceo", lone), "dead-position", 0)
	for _, game := range []string{"coerceo:win=base", "coerceo:price=1"} {
		_, over := at(t, game, lone).Result()
		require.False(t, over, game)
	}
	require.True(t, at(t, "coerceo:win=base", close).pos.closing())
	requireResult(t, at(t, "coerceo", close), "dead-position", 0)
	_, over := at(t, "coerceo:nomove=loss", close).Result()
	require.False(t, over, "a stuck player loses")
}

// TestCura compares Cura (7, R15) with continuing after swapping the player on turn.
func TestCura(t *testing.T) {
	count := map[string]int{}
	for _, g := range lines[goldenPosition](t, "positions.jsonl") {
		s := at(t, "coerceo:win=base", g.Pos)
		require.Empty(t, s.Announcement(), "no move yet")
		play(t, s, g.Move)
		want := ""
		if s.ending == unfinished && len(captures(t, s.Position(), 1-s.Turn())) > 0 {
			want = "Cura"
		}
		require.Equal(t, want, s.Announcement(), "%s %s", g.Pos, g.Move)
		count[want]++
	}
	require.Greater(t, count["Cura"], 100)
	require.Greater(t, count[""], 100)
}

// captures returns the fields that a piece move of c would empty by enclosure if c were on
// turn, found by playing all moves.
func captures(t *testing.T, pos string, c env.Player) map[string]bool {
	words := strings.Fields(pos)
	words[1] = "wb"[c : c+1]
	p, err := Parse(strings.Join(words, " "), 2)
	require.NoError(t, err)
	fields := map[string]bool{}
	for _, child := range p.Children() {
		if !strings.HasPrefix(child.Move, "x") {
			for _, f := range child.Captured {
				fields[f] = true
			}
		}
	}
	return fields
}

// TestThreats compares the planes of capturable pieces.
func TestThreats(t *testing.T) {
	total := 0
	for _, g := range lines[goldenPosition](t, "positions.jsonl") {
		p, err := Parse(g.Pos, 2)
		require.NoError(t, err)
		for c := range env.Player(2) {
			want := captures(t, g.Pos, c)
			got := map[string]bool{}
			for i, m := range p.threats(c) {
				for b := range uint8(maskBits) {
					if m>>b&1 == 1 {
						got[fieldName(uint8(2*i)+uint8(c), b)] = true
					}
				}
			}
			require.Equal(t, want, got, "%s by %d", g.Pos, c)
			total += len(got)
		}
	}
	require.Greater(t, total, 1000)
}

func TestOptions(t *testing.T) {
	for _, name := range variants {
		require.Equal(t, name, newGame(t, name).Spec().Name)
	}
	require.Equal(t, "coerceo", newGame(t, "coerceo:maxplies=1000,win=casual,price=2,repetition=3").Spec().Name)
	for name, want := range map[string]string{
		"coerceo:win=chess":                    "option win=chess: must be one of casual, base, short, competitive",
		"coerceo:price=3":                      "option price=3: must be one of 2, 1",
		"coerceo:repetition=1":                 "option repetition=1: must be one of 3, 0, 2, 4, 5",
		"coerceo:noprogress=257":               "option noprogress=257: must be a whole number from 0 to 256",
		"coerceo:win=competitive,repetition=3": `unknown option "repetition"`,
		"coerceo:exchangecounts=false":         `unknown option "exchangecounts"`,
	} {
		_, o, err := env.ParseName(name)
		require.NoError(t, err)
		_, err = New(o)
		require.ErrorContains(t, err, want)
	}
}

func TestParseErrors(t *testing.T) {
	tiles, _, _ := strings.Cut(startPosition, " ")
	for pos, want := range map[string]string{
		"":                                      "number of words is 1",
		tiles + " w 0":                          "number of words is 3",
		tiles[3:] + " w 0 0":                    "18 tile tokens",
		tiles + " W 0 0":                        `player on turn is "W"`,
		tiles + " w x 0":                        `White's hand is "x"`,
		tiles + " w 0 -1":                       `Black's hand is "-1"`,
		tiles + " w 0 20":                       `Black's hand is "20"`,
		tiles + " w 00 0":                       `White's hand is "00"`,
		"4" + tiles[1:] + " w 0 0":              `tile token 1 (c1) "44": above 3f`,
		tiles[:3] + "A2" + tiles[5:] + " w 0 0": `tile token 2 (d1) "A2": not -- or two`,
		strings.Repeat("--.", 18) + "00 w 0 0":  "no pieces on the board",
	} {
		_, err := Parse(pos, 2)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, fmt.Sprintf("coerceo: position %q", pos))
	}
	_, err := Parse(startPosition, 3)
	require.ErrorContains(t, err, "price is 3")
}
