package arena

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/player"
)

// sure takes the first legal action and always expects the same payoff for one seat.
type sure struct {
	seat  env.Player
	value float32
}

func (p *sure) Name() string { return "sure" }

func (p *sure) Choose(_ context.Context, s env.State, _ []env.Action, _ *rand.Rand) (env.Action, error) {
	return s.Legal(nil)[0], nil
}

func (p *sure) Analysis() player.Analysis {
	var v env.Value
	v[p.seat], v[1-p.seat] = p.value, -p.value
	return player.Analysis{Value: v}
}

func makeSure(seat env.Player, value float32) player.Factory {
	return player.Custom("sure", func() (player.Player, error) { return &sure{seat, value}, nil })
}

func TestAdjudication(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	// If both players take the first action, the second to move wins.
	tests := []struct {
		name   string
		a, b   player.Factory
		rule   Adjudication
		ending string
		plies  int
		given  int // number of adjudicated games
		played int
		wrong  int
	}{
		{"agreed", makeSure(0, 0.96), makeSure(0, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 3}, Adjudicated, 6, 2, 0, 0},
		{"for the other seat", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 2}, Adjudicated, 4, 2, 0, 0},
		{"one does not think so", makeSure(0, 0.96), makeSure(0, 0.9), Adjudication{Threshold: 0.95, ConsecutiveMoves: 3}, "four-in-row", 0, 0, 0, 0},
		{"each is sure of itself", makeSure(0, 0.96), makeSure(1, 0.96), Adjudication{Threshold: 0.95, ConsecutiveMoves: 3}, "four-in-row", 0, 0, 0, 0},
		// In one game it claims the win for itself; in the other it gives up.
		{"one without analysis", makeSure(0, 0.96), player.Must(nil, "random"), Adjudication{Threshold: 0.95, ConsecutiveMoves: 2}, "", 0, 1, 0, 0},
		{"none with analysis", player.Must(nil, "random"), player.Must(nil, "random"), Adjudication{Threshold: 0.01, ConsecutiveMoves: 1}, "", 0, 0, 0, 0},
		{"played out, wrongly", makeSure(0, 0.96), makeSure(0, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 2, PlayOut: 1}, "four-in-row", 0, 0, 2, 2},
		{"played out, rightly", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 2, PlayOut: 1}, "four-in-row", 0, 0, 2, 0},
		{"with the last move", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 11, PlayOut: 1}, "four-in-row", 22, 0, 0, 0},
		{"played out, but too long", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Threshold: 0.95, ConsecutiveMoves: 2, PlayOut: 1, MaxPlies: 10}, LengthLimit, 10, 0, 0, 0},
		{"too long", player.Must(nil, "random"), player.Must(nil, "random"), Adjudication{MaxPlies: 5}, LengthLimit, 5, 0, 0, 0},
		{"off", makeSure(0, 1), makeSure(0, 1), Adjudication{}, "four-in-row", 0, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := Match{Game: game, Players: []player.Factory{test.a, test.b}, Games: 2, Seed: 1, Workers: 1, Adjudication: test.rule}
			report, err := Play(context.Background(), m)
			require.NoError(t, err)
			for _, r := range report.Records {
				if test.ending != "" {
					require.Equal(t, test.ending, r.Ending)
				}
				if test.plies > 0 {
					require.Len(t, r.Moves, test.plies)
				}
				if r.Ending == LengthLimit {
					require.Equal(t, []float32{0, 0}, r.Result)
				}
				if r.Ending == Adjudicated {
					require.Equal(t, float32(1), r.Result[*r.AgreedWinner])
				}
			}
			if test.given+test.played == 0 {
				require.Nil(t, report.Adjudication)
				return
			}
			a := report.Adjudication
			require.Equal(t, [3]int{test.given, test.played, test.wrong}, [3]int{a.Adjudicated, a.PlayedOut, a.FalsePositives})
			require.Contains(t, report.String(), "early     ")
		})
	}
}

// The same games are played out for any number of workers.
func TestPlayedOut(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	m := Match{
		Game: game, Players: []player.Factory{makeSure(0, 0.96), makeSure(0, 0.95)}, Games: 200, Seed: 3, Workers: 1, Opening: 3,
		Adjudication: Adjudication{Threshold: 0.9, ConsecutiveMoves: 2, PlayOut: 0.2},
	}
	one, err := Play(context.Background(), m)
	require.NoError(t, err)
	require.InDelta(t, 40, one.Adjudication.PlayedOut, 20)
	require.LessOrEqual(t, one.Adjudication.FalsePositiveRate.Low, one.Adjudication.FalsePositiveRate.Value)
	m.Workers = 3
	three, err := Play(context.Background(), m)
	require.NoError(t, err)
	require.Equal(t, one, three)
}

func TestAdjudicationFaults(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	m := Match{
		Game: game, Players: []player.Factory{player.Must(nil, "random"), player.Must(nil, "random")}, Games: 2, Workers: 1,
		Adjudication: Adjudication{Threshold: 1.5, PlayOut: 2, MaxPlies: -1},
	}
	for _, want := range []string{
		"adjudication.threshold is 1.5", "adjudication.consecutive_moves is 0", "adjudication.play_out is 2", "adjudication.max_plies is -1",
	} {
		require.ErrorContains(t, m.Validate(), want)
	}

	// With a limit inside the opening, every game would be a draw.
	m.Opening, m.Adjudication = 4, Adjudication{MaxPlies: 4}
	require.ErrorContains(t, m.Validate(), "max plies is 4")
	m.Adjudication.MaxPlies = 5
	require.NoError(t, m.Validate())
}
