package arena

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/player"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata")

// golden compares a report with a file.
func golden(t *testing.T, file, got string) {
	if *update {
		require.NoError(t, os.WriteFile("testdata/"+file, []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// The JSON of a report of two seats.
func TestReportOfTwoSeats(t *testing.T) {
	game := ticTacToe(t)
	report, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{player.Must(game, "alphabeta:2"), player.Must(nil, "random")}, Games: 8, Seed: 5, Workers: 2, Opening: 2})
	require.NoError(t, err)
	data, err := json.MarshalIndent(report, "", "  ")
	require.NoError(t, err)
	golden(t, "report_two.json", string(data)+"\n")
}

func TestSeatings(t *testing.T) {
	tests := []struct {
		seats, players int
		want           string // the first seatings
		count          int
	}{
		{2, 2, "01 10", 2},
		{3, 2, "011 101 110", 3},
		{3, 3, "012 021 102 120 201 210", 6},
		{4, 2, "0111 1011 1101 1110", 4},
		{4, 3, "0122 0212 0221 1022", 12},
		{4, 4, "0123 0132 0213 0231", 24},
	}
	for _, test := range tests {
		tree := envtest.MustTree(test.seats, "(AB)")
		m := Match{Game: tree, Players: make([]player.Factory, test.players)}
		require.Equal(t, test.count, m.Group())
		var texts []string
		var sat [env.MaxPlayers][env.MaxPlayers]int // by player and seat
		for _, seating := range m.seatings() {
			texts = append(texts, strings.Trim(strings.ReplaceAll(fmt.Sprint(seating), " ", ""), "[]"))
			for seat, player := range seating {
				sat[player][seat]++
			}
		}
		require.True(t, strings.HasPrefix(strings.Join(texts, " "), test.want), texts)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(texts))), test.count, "all differ")
		for player := range test.players {
			for seat := range test.seats {
				require.Equal(t, sat[player][0], sat[player][seat], "player %d is on every seat equally often", player)
			}
		}
	}
}

// witness plays at random and logs its name and seat at each decision.
type witness struct {
	player.Player
	name string
	log  *[]string
}

func (w *witness) Name() string { return w.name }

func (w *witness) Choose(ctx context.Context, s env.State, history []env.Action, rng *rand.Rand) (env.Action, error) {
	*w.log = append(*w.log, fmt.Sprint(w.name, s.Turn()))
	return w.Player.Choose(ctx, s, history, rng)
}

// writeTree writes a random tree with arbitrary turn order, where wins may be shared.
func writeTree(b *strings.Builder, rng *rand.Rand, players, depth int) {
	if depth == 0 || depth < 4 && rng.IntN(6) == 0 {
		b.WriteString([]string{"A", "B", string(rune('A' + players - 1)), "=", map[int]string{
			2: "[-1,1]", 3: "[0.25,-0.5,0.25]", 4: "[-0.33333334,0.33333334,-0.33333334,0.33333334]",
		}[players]}[rng.IntN(5)])
		return
	}
	b.WriteByte("abcd"[rng.IntN(players)])
	b.WriteByte('(')
	for range 2 + rng.IntN(2) {
		writeTree(b, rng, players, depth-1)
	}
	b.WriteByte(')')
}

// The player on the seat on turn makes each decision, whichever player made the previous one,
// and each payoff is credited to the player on its seat. The test replays all games and counts
// them independently.
func TestSeatsOfMany(t *testing.T) {
	rng := env.NewRand(3)
	for n := range 24 {
		seats := 2 + n%3
		count := 2 + n%(seats-1)
		var b strings.Builder
		writeTree(&b, rng, seats, 6)
		game := envtest.MustTree(seats, b.String())
		var log, want []string
		m := Match{Game: game, Seed: uint64(n), Workers: 1, Opening: 1}
		for i := range count {
			name := string(rune('A' + i))
			m.Players = append(m.Players, player.Custom(name, func() (player.Player, error) {
				p, err := player.Must(nil, "random").New()
				return &witness{p, name, &log}, err
			}))
		}
		m.Games = 2 * m.Group()
		report, err := Play(t.Context(), m)
		require.NoError(t, err)
		require.Equal(t, 2, report.Groups)

		won := make([][]float64, count)
		for i := range won {
			won[i] = make([]float64, seats)
		}
		for _, r := range report.Records {
			require.Equal(t, m.seatings()[r.Number%m.Group()], r.Seating)
			require.Equal(t, report.Records[r.Group*m.Group()].Moves[:1], r.Moves[:1], "one opening a group")
			s := game.New()
			for ply, name := range r.Moves {
				if ply >= r.Opening {
					want = append(want, fmt.Sprint(string(rune('A'+r.Seating[s.Turn()])), s.Turn()))
				}
				a, err := env.ParseAction(s, name)
				require.NoError(t, err)
				s.Play(a)
			}
			v, over := s.Result()
			require.True(t, over)
			require.Equal(t, v[:seats], r.Result)
			winners := slices.DeleteFunc([]int{0, 1, 2, 3}[:seats], func(seat int) bool { return v[seat] != slices.Max(v[:seats]) })
			for _, seat := range winners {
				won[r.Seating[seat]][seat] += 1 / float64(len(winners))
			}
		}
		require.Equal(t, want, log, "%s", b.String())
		total := 0.0
		for i, s := range report.Players {
			require.Equal(t, string(rune('A'+i)), s.Name)
			sum := 0.0
			for seat, f := range s.BySeat {
				require.InDelta(t, won[i][seat], f.Points, 1e-6)
				require.Equal(t, report.Games*s.Seats/seats, f.Games)
				require.InDelta(t, f.Points/float64(f.Games), f.Score.Value, 1e-9)
				sum += won[i][seat]
			}
			require.InDelta(t, sum, s.Points, 1e-6)
			require.InDelta(t, sum/float64(report.Games), s.Score.Value, 1e-6)
			total += sum
		}
		require.InDelta(t, float64(report.Games), total, 1e-6, "every game has one point to give")
	}
}

// A deeper search wins more. The report is compared with a file.
func TestReportOfThreeSeats(t *testing.T) {
	var b strings.Builder
	writeTree(&b, env.NewRand(18), 3, 7)
	game := envtest.MustTree(3, b.String())
	m := Match{Game: game, Players: []player.Factory{player.Must(game, "alphabeta:7"), player.Must(game, "mcts:20"), player.Must(nil, "random")}, Games: 120, Seed: 1, Workers: 2, Opening: 2}
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	golden(t, "report_three.txt", report.String())

	m.Players, m.Games = m.Players[1:], 60
	report, err = Play(t.Context(), m)
	require.NoError(t, err)
	golden(t, "report_against.txt", report.String())

	// The JSON can be read back.
	data, err := json.Marshal(report)
	require.NoError(t, err)
	var back Report
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, report.String(), back.String())
	require.Equal(t, report.Players, back.Players)
}

// namedSeats is a game whose seats have names.
type namedSeats struct{ env.Game }

func (namedSeats) SeatName(p env.Player) string { return []string{"North", "East", "South"}[p] }

func TestReportNamesSeats(t *testing.T) {
	game := namedSeats{envtest.MustTree(3, "(ABC)")}
	report, err := Play(t.Context(), Match{Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 3, Seed: 1, Workers: 1})
	require.NoError(t, err)
	require.Equal(t, []string{"North", "East", "South"}, report.SeatNames)
	require.Contains(t, report.String(), "\n  as South ")

	sad := player.Custom("broken", func() (player.Player, error) {
		return broken{func(context.Context, int) (env.Action, error) { return 7, nil }, new(int)}, nil
	})
	_, err = Play(t.Context(), Match{Game: game, Players: []player.Factory{sad, player.Must(nil, "random")}, Games: 3, Seed: 1, Workers: 1})
	require.EqualError(t, err, "arena: game 0, ply 0: broken as North in /: illegal action 7")
}

func TestProgressIsShort(t *testing.T) {
	require.Equal(t, "won 3, drawn 2, lost 1", Progress{Players: []WDL{{3, 2, 1}, {1, 2, 3}}}.String())
	require.Equal(t, "wins 3:2:0", Progress{Players: []WDL{{3, 0, 2}, {2, 0, 3}, {0, 0, 5}}}.String())
}
