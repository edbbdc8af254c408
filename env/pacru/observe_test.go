package pacru

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// look returns the planes of s as text: "-" for an empty plane, "x" for one number
// everywhere, otherwise the fields with their numbers, which are omitted if they are 1.
func look(s *State) []string {
	x := make([]float32, s.planes()*fields)
	s.Observe(x)
	var planes []string
	for ; len(x) > 0; x = x[fields:] {
		var there []string
		same := true
		for f := range uint8(fields) {
			same = same && x[f] == x[0]
			switch x[f] {
			case 0:
			case 1:
				there = append(there, fieldName(f))
			default:
				there = append(there, fmt.Sprintf("%s=%.4g", fieldName(f), x[f]))
			}
		}
		switch {
		case len(there) == 0:
			planes = append(planes, "-")
		case same:
			planes = append(planes, fmt.Sprintf("%.4g", x[0]))
		default:
			planes = append(planes, strings.Join(there, " "))
		}
	}
	return planes
}

// TestPlanes checks the planes of drawn positions against expectations written by hand.
func TestPlanes(t *testing.T) {
	s := drawn(t, "pacru:players=3,meeting=9", "R", `
		9 │ .   .   .  │ .   .   .  │ .   b   b  │
		2 │ r   r   .  │ .   .   .  │ .   .  [B↑]│
		1 │[R↗] r   .  │ .   .   .  │ .   .   Y↑ │`)
	planes := look(s)
	require.Len(t, planes, 26+10*3)
	require.Equal(t, []string{"i1 i2", "a1", "-", "-", "-", "-", "-", "-"}, planes[facingPlanes:edgePlanes])
	require.True(t, strings.HasPrefix(planes[edgePlanes], "a3 b3 c3 d3"), "north")
	require.True(t, strings.HasPrefix(planes[edgePlanes+3], "a1 d1 g1 a2"), "west")
	require.Equal(t, "1", planes[12])
	require.NotContains(t, planes[13], "a1 ")
	require.Contains(t, planes[13], "i1", "neutral under a chevron")
	require.Equal(t, []string{"-", "-"}, planes[14:16])
	const power = "a1=0.4444 b1=0.4444 c1=0.4444 a2=0.4444 b2=0.4444 c2=0.4444 a3=0.4444 b3=0.4444 c3=0.4444"
	red := []string{"a1", "a1 b1 a2 b2", "0.1429", "-", "1", "b1 c1 d1 e1 a2 b2 a3 c3 a4 d4 a5 e5", "a1", "0.3333", "-", power}
	require.Equal(t, red, planes[16:26])
	black := planes[26:36]
	require.Equal(t, []string{"i2", "i2 h9 i9", "0.1071", "-", "1", "h3 i3", "i2=0.6667", "0.2222", "-"}, black[:9])
	yellow := planes[36:46]
	require.Equal(t, []string{"i1", "-", "-", "i2=0.5", "1", "h2", "i1=0.3333", "0.1111", "-", "-"}, yellow)
	require.Equal(t, []string{"-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}, planes[46:])

	a, err := env.ParseAction(s, "a1>")
	require.NoError(t, err)
	s.Play(a)
	turn := look(s)[46:]
	require.Equal(t, []string{"-", "-", "-", "1", "a1", "a1", "a2 b2", "-"}, turn[:8],
		"with east at the top, a2 comes before b2 and b1")
	require.Equal(t, "0.5", turn[9])
}

// TestPlanesOfSeats checks the planes of a blocked seat, of a seat that is out, of the
// clocks, and of a pincer.
func TestPlanesOfSeats(t *testing.T) {
	s := play(t, drawn(t, "pacru:players=4", "Y", `
		9 │ r   r   .  │ .   .   .  │ .   .   Y← │
		2 │ .   g   .  │ .   .   .  │ .   .   .  │
		1 │ B→  G↑  .  │ .   .   .  │ .   .   .  │`), "i9-h9")
	planes := look(s)
	require.Equal(t, []string{"0.00625", "0.001"}, planes[14:16], "a turn without a change, of 160; a turn, of 1000")
	green, black, yellow, red := planes[16:26], planes[26:36], planes[36:46], planes[46:56]
	require.Equal(t, []string{"b1", "b2", "0.04167", "-", "1", "a2 b2 c2", "b1", "0.3333", "-"}, green[:9])
	require.Equal(t, []string{"a1", "-", "-", "b1=0.5", "1", "-", "-", "-", "1", "-"}, black, "blocked, not out")
	require.Equal(t, []string{"h9", "-", "-", "-", "1", "g8 g9", "h9=0.6667", "0.2222", "-", "-"}, yellow)
	require.Equal(t, []string{"-", "a9 b9", "0.08333", "-", "-", "-", "-", "-", "1"}, red[:9], "out")
	require.True(t, strings.HasPrefix(red[9], "a7=0.2222 b7=0.2222"), "with markers")

	s = drawn(t, "pacru", "G", `
		5 │ .   .   .  │ .   G↓  .  │ .   .   .  │
		4 │ .   .   .  │ .  [Y→] .  │ .   .   .  │
		3 │ .   .   .  │ G↗  .   .  │ .   .   Y← │`)
	green = look(s)[16:26]
	require.Equal(t, "e4", green[3], "two halves")
	require.Equal(t, "e3 d4 e4 f4", green[5], "where it may be taken")
}

// TestPlanesOfTurns checks the planes of a benefit, a meeting and a final round.
func TestPlanesOfTurns(t *testing.T) {
	s := drawn(t, "pacru", "G", `
		3 │ g   .   .  │ g   g   .  │ .   .   .  │
		2 │ g   .   .  │ .   g   g  │ .   .   .  │
		1 │[G→] y   .  │ g   g   g  │ .   .   Y← │`)
	a, err := env.ParseAction(s, "a1-d1")
	require.NoError(t, err)
	s.Play(a)
	turn := look(s)[26-10+10*2:]
	require.Equal(t, []string{"1", "1", "-", "-", "a1", "d1", "d2 f3", "b1 c1", "-", "-"}, turn)

	s = drawn(t, "pacru", "G", `
		3 │ G↓  .   .  │ .   .   .  │ .   .   y  │
		2 │ g   .   .  │ .   .   .  │ .   .   .  │
		1 │[G↑] .   .  │ .   .   .  │ .   .   Y← │`)
	a, err = env.ParseAction(s, "a3-a2")
	require.NoError(t, err)
	s.Play(a)
	turn = look(s)[26-10+10*2:]
	require.Equal(t, []string{"1", "-", "1", "-", "a3", "a2"}, turn[:6])
	require.Len(t, strings.Fields(turn[6]), 81-3, "all fields without a chevron")
	require.Equal(t, []string{"-", "-", "-"}, turn[7:])

	s = newGameOf(t, "azacru:players=3").New().(*State)
	require.NoError(t, s.SetPosition("3;1;"+everyField+";a1:1N,c1:2N;0"))
	planes := look(s)
	require.Len(t, planes, 17+11*3)
	require.Equal(t, "0.6667", planes[len(planes)-1])
	require.Len(t, look(newGameOf(t, "shacru:players=4").New().(*State)), 16+9*4)
}

// TestPlanesOfFloods checks the planes for the time to reach fields and for connections.
func TestPlanesOfFloods(t *testing.T) {
	s := drawn(t, "shacru", "G", `
		9 │ y   y   y  │ y   y   y  │ y   y   y  │
		8 │ y   y   y  │ y   y   y  │ y   y   y  │
		7 │ y   y   y  │ y   y   y  │ y   y   y  │
		6 │ y   y   y  │ y   y   y  │ y   y   y  │
		5 │ y   y   y  │ y   y   y  │ y   y   y  │
		4 │ y   y   y  │ y   y   y  │ y   y   y  │
		3 │ y   y   y  │ y   y   y  │ y   y   y  │
		2 │ y   y   y  │ y   y   g  │ .   y   y  │
		1 │ G→  g   .  │ .   .   .  │ .   .   Y← │`)
	planes := look(s)
	green, yellow := planes[16:25], planes[25:34]
	require.Equal(t, "b1 c1=0.5 d1=0.3333 e1=0.25 f1=0.2 g1=0.1667 h1=0.1429 i1=0.125 f2=0.2 g2=0.1667", green[7])
	require.Equal(t, fmt.Sprintf("%.4g", 2./81), green[8], "c1 d1; both need four turns to e1")
	require.Contains(t, yellow[7], "e1=0.25 f1=0.3333 g1=0.5 h1")
	require.Equal(t, fmt.Sprintf("%.4g", 6./81), yellow[8], "f1 g1 g2 h1, and a1 and i1 from his own fields")

	s = drawn(t, "azacru", "G", `
		2 │ y   .   .  │ .   .   .  │ .   .   .  │
		1 │[G→] y   g  │ g   .   .  │ .   .   Y← │`)
	planes = look(s)
	green = planes[16:27]
	require.Equal(t, "b1", green[10])
	require.Equal(t, "-", planes[27:38][10])
}

// TestFloodMatchesMoves compares with moving each chevron of a seat alone on the
// board by the rules for moves and twists, without marking.
func TestFloodMatchesMoves(t *testing.T) {
	for _, name := range []string{"shacru", "azacru:players=3", "shacru:players=4", "azacru"} {
		game := newGameOf(t, name)
		rng := env.NewRand(7)
		for range 20 {
			s := game.New().(*State)
			for legal := s.Legal(nil); len(legal) > 0 && rng.IntN(40) > 0; legal = s.Legal(nil) {
				s.Play(legal[rng.IntN(len(legal))])
			}
			for p := range s.players {
				want := turnsByHand(s, p)
				got, f := map[uint8]int{}, s.newFlood(p)
				for turns, more := 1, true; more; turns++ {
					var fresh set
					for fresh, more = f.spread(); !fresh.empty(); {
						got[fresh.pop()] = turns
					}
				}
				require.Equal(t, want, got, "%s, seat %d", s.Position(), p)
			}
		}
	}
}

// turnsByHand returns, for each field, the number of turns after which a chevron of p can
// be there.
func turnsByHand(s *State, p uint8) map[uint8]int {
	turns := map[uint8]int{}
	seen := map[chevron]bool{}
	front := slices.Clone(s.own(p))
	for n := 1; len(front) > 0; n++ {
		var next []chevron
		for _, c := range front {
			alone := *s
			alone.chevrons, alone.count, alone.taken = [env.MaxPlayers][maxChevrons]chevron{}, [env.MaxPlayers]uint8{}, set{}
			alone.put(p, c)
			for j, r := range alone.see(p, s.long())[0] {
				d := (int(c.facing) + j + 7) % 8
				for k := 1; k <= farthest; k++ {
					if r.slides>>(k-1)&1 == 0 {
						continue
					}
					to := uint8(int(c.field) + k*geo.step[d])
					if _, ok := turns[to]; !ok {
						turns[to] = n
					}
					facings := []int{d}
					if geo.crosses(c.field, to) {
						facings = append(facings, d+1, d+7)
					}
					for _, facing := range facings {
						if at := (chevron{to, uint8(facing % 8)}); !seen[at] {
							seen[at] = true
							next = append(next, at)
						}
					}
				}
			}
		}
		front = next
	}
	return turns
}
