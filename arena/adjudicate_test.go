package arena

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// sure takes the first action there is and promises one seat a payoff.
type sure struct {
	seat  env.Player
	value float32
}

func (p *sure) Name() string { return "sure" }

func (p *sure) Choose(_ context.Context, s env.State, _ []env.Action, _ *rand.Rand) (env.Action, error) {
	return s.Legal(nil)[0], nil
}

func (p *sure) Thought() Thought {
	var v env.Value
	v[p.seat], v[1-p.seat] = p.value, -p.value
	return Thought{Value: v}
}

func makeSure(seat env.Player, value float32) Maker {
	return func() (Player, error) { return &sure{seat, value}, nil }
}

func TestAdjudication(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	// Both players taking the first action, the second to move wins.
	tests := []struct {
		name   string
		a, b   Maker
		rule   Adjudication
		ending string
		plies  int
		given  int // games
		played int
		wrong  int
	}{
		{"agreed", makeSure(0, 0.96), makeSure(0, 0.95), Adjudication{Level: 0.95, Moves: 3}, Adjudged, 6, 2, 0, 0},
		{"for the other seat", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Level: 0.95, Moves: 2}, Adjudged, 4, 2, 0, 0},
		{"one does not think so", makeSure(0, 0.96), makeSure(0, 0.9), Adjudication{Level: 0.95, Moves: 3}, "four-in-row", 0, 0, 0, 0},
		{"each is sure of itself", makeSure(0, 0.96), makeSure(1, 0.96), Adjudication{Level: 0.95, Moves: 3}, "four-in-row", 0, 0, 0, 0},
		// On the first seat it takes itself for the winner, on the second it gives up.
		{"one tells nothing", makeSure(0, 0.96), Random(), Adjudication{Level: 0.95, Moves: 2}, "", 0, 1, 0, 0},
		{"nobody tells anything", Random(), Random(), Adjudication{Level: 0.01, Moves: 1}, "", 0, 0, 0, 0},
		{"played on, wrongly", makeSure(0, 0.96), makeSure(0, 0.95), Adjudication{Level: 0.95, Moves: 2, PlayOn: 1}, "four-in-row", 0, 0, 2, 2},
		{"played on, rightly", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Level: 0.95, Moves: 2, PlayOn: 1}, "four-in-row", 0, 0, 2, 0},
		{"with the last move", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Level: 0.95, Moves: 11, PlayOn: 1}, "four-in-row", 22, 0, 0, 0},
		{"played on, but too long", makeSure(1, 0.96), makeSure(1, 0.95), Adjudication{Level: 0.95, Moves: 2, PlayOn: 1, MaxPlies: 10}, TooLong, 10, 0, 0, 0},
		{"too long", Random(), Random(), Adjudication{MaxPlies: 5}, TooLong, 5, 0, 0, 0},
		{"off", makeSure(0, 1), makeSure(0, 1), Adjudication{}, "four-in-row", 0, 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := Match{Game: game, Players: []Maker{test.a, test.b}, Games: 2, Seed: 1, Workers: 1, Adjudication: test.rule}
			report, err := Play(context.Background(), m)
			require.NoError(t, err)
			for _, r := range report.Records {
				if test.ending != "" {
					require.Equal(t, test.ending, r.Ending)
				}
				if test.plies > 0 {
					require.Len(t, r.Moves, test.plies)
				}
				if r.Ending == TooLong {
					require.Equal(t, []float32{0, 0}, r.Result)
				}
				if r.Ending == Adjudged {
					require.Equal(t, float32(1), r.Result[*r.Decided])
				}
			}
			if test.given+test.played == 0 {
				require.Nil(t, report.Adjudications)
				return
			}
			a := report.Adjudications
			require.Equal(t, [3]int{test.given, test.played, test.wrong}, [3]int{a.Given, a.PlayedOn, a.Wrong})
			require.Contains(t, report.String(), "adjudged  ")
		})
	}
}

// A share of the games is played on, the same ones for any number of workers.
func TestPlayedOn(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	m := Match{
		Game: game, Players: []Maker{makeSure(0, 0.96), makeSure(0, 0.95)}, Games: 200, Seed: 3, Workers: 1, Opening: 3,
		Adjudication: Adjudication{Level: 0.9, Moves: 2, PlayOn: 0.2},
	}
	one, err := Play(context.Background(), m)
	require.NoError(t, err)
	require.InDelta(t, 40, one.Adjudications.PlayedOn, 20)
	require.LessOrEqual(t, one.Adjudications.Share.Low, one.Adjudications.Share.Value)
	m.Workers = 3
	three, err := Play(context.Background(), m)
	require.NoError(t, err)
	require.Equal(t, one, three)
}

func TestAdjudicationFaults(t *testing.T) {
	game, err := games.New("connect4")
	require.NoError(t, err)
	m := Match{
		Game: game, Players: []Maker{Random(), Random()}, Games: 2, Workers: 1,
		Adjudication: Adjudication{Level: 1.5, PlayOn: 2, MaxPlies: -1},
	}
	for _, want := range []string{"level is 1.5", "moves is 0", "play-on is 2", "max-plies is -1"} {
		require.ErrorContains(t, m.Validate(), want)
	}
}
