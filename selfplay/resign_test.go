package selfplay_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/selfplay"
)

// calibrationGame returns a game of two seats whose searches expected these payoffs for the
// first seat.
func calibrationGame(result float32, first ...float32) selfplay.CalibrationGame {
	g := selfplay.CalibrationGame{Result: env.Value{result, -result}}
	for _, v := range first {
		g.Values = append(g.Values, env.Value{v, -v})
	}
	return g
}

func repeat(n int, g selfplay.CalibrationGame) []selfplay.CalibrationGame {
	games := make([]selfplay.CalibrationGame, n)
	for i := range games {
		games[i] = g
	}
	return games
}

func TestMeasure(t *testing.T) {
	right := calibrationGame(1, 0.2, 0.905, 0.9, 0.95)
	tests := []struct {
		name  string
		games []selfplay.CalibrationGame
		want  selfplay.Calibration
	}{
		{"no games", nil, selfplay.Calibration{}},
		// 0.95^58 > 0.05 > 0.95^59, the rule of three.
		{"58 right decisions do not prove 5%", repeat(58, right), selfplay.Calibration{CalibrationGames: 58}},
		{"59 do", repeat(59, right), selfplay.Calibration{Threshold: 0.5, CalibrationGames: 59, WouldResign: 59}},
		{
			"one wrong among 93 is too many for 95% confidence in 5%",
			append(repeat(91, right), calibrationGame(-1, 0.9, 0.91)),
			selfplay.Calibration{CalibrationGames: 92},
		},
		{
			"one wrong among 94 is acceptable", // 0.95^94 + 94*0.05*0.95^93 = 0.048
			append(repeat(93, right), calibrationGame(-1, 0.9, 0.91)), selfplay.Calibration{Threshold: 0.5, CalibrationGames: 94, WouldResign: 94, FalsePositives: 1},
		},
		{
			"a draw is not a win",
			append(repeat(91, right), calibrationGame(0, 0.9, 0.91)),
			selfplay.Calibration{CalibrationGames: 92},
		},
		{
			"a threshold above all wrong decisions",
			append(repeat(80, calibrationGame(-1, -0.97, -0.98)), repeat(20, calibrationGame(-1, 0.75, 0.8))...),
			selfplay.Calibration{Threshold: 0.76, CalibrationGames: 100, WouldResign: 80},
		},
		{"moves in a row", repeat(100, calibrationGame(1, 0.99, 0.1, 0.99, 0.1)), selfplay.Calibration{CalibrationGames: 100}},
		{"for one seat", repeat(100, calibrationGame(1, 0.99, -0.99, 0.99)), selfplay.Calibration{CalibrationGames: 100}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := selfplay.Resign{ConsecutiveMoves: 2, NoResignProbability: 0.1, MaxFalsePositiveRate: 0.05}
			require.Equal(t, test.want, r.Calibrate(test.games))
		})
	}
}

// TestCalibrateBoundsFalsePositives: if searches that expect a payoff of p are right with
// probability (1+p)/2, the true rate of false positives at the calibrated threshold is
// nearly always below the limit, even though the threshold was chosen on the games.
func TestCalibrateBoundsFalsePositives(t *testing.T) {
	rng := env.NewRand(5)
	r := selfplay.Resign{ConsecutiveMoves: 1, NoResignProbability: 0.1, MaxFalsePositiveRate: 0.1}
	found, broken := 0, 0
	for range 300 {
		var games []selfplay.CalibrationGame
		for range 500 {
			p := 2*rng.Float32() - 1
			result := float32(1)
			if rng.Float32() > (1+p)/2 {
				result = -1
			}
			games = append(games, calibrationGame(result, p))
		}
		d := r.Calibrate(games)
		if d.Threshold == 0 {
			continue
		}
		found++
		// Decisions expect payoffs uniformly between threshold and 1, and are wrong in
		// (1-p)/2 of the cases.
		if (1-d.Threshold)/4 > r.MaxFalsePositiveRate {
			broken++
		}
	}
	require.Greater(t, found, 250)
	require.Less(t, float64(broken)/float64(found), 0.05)
}

func TestResignation(t *testing.T) {
	shacru, err := games.New("shacru:players=3")
	require.NoError(t, err)
	for _, game := range []env.Game{newGame(t, "mnk"), shacru} {
		players := game.Spec().Players
		t.Run(game.Spec().Name, func(t *testing.T) {
			job := newJob(game)
			job.Games = 80
			job.Config.Resign = selfplay.Resign{ConsecutiveMoves: 1, NoResignProbability: 0.3, MaxFalsePositiveRate: 0.05}
			job.ResignThreshold = 0.3
			episodes := play(t, job)
			resigned, playedOn := 0, 0
			for _, e := range episodes {
				s := game.New()
				for _, a := range e.Actions {
					s.Play(a)
				}
				v, over := s.Result()
				if e.NoResign {
					playedOn++
				}
				if e.Ending != selfplay.Resignation {
					require.True(t, over)
					require.Equal(t, v, e.Result)
					continue
				}
				resigned++
				require.False(t, over)
				require.False(t, e.NoResign)
				last := e.Samples[len(e.Samples)-1]
				require.Equal(t, len(e.Actions)-1, last.Ply, "ends at the search that decided it")
				for seat := range players {
					if e.Result[seat] == 1 {
						require.GreaterOrEqual(t, last.Value[seat], float32(0.3))
					}
				}
				require.InDelta(t, 0, e.Result[0]+e.Result[1]+e.Result[2], 1e-6)
			}
			require.Greater(t, resigned, 8)
			require.InDelta(t, 0.3, float64(playedOn)/80, 0.2)

			written := file(t, job, episodes)
			_, read, err := selfplay.Read(bytes.NewReader(written), env.Variants(game, nil))
			require.NoError(t, err)
			require.Equal(t, episodes, read)

			job.Workers = 4
			require.Equal(t, written, file(t, job, play(t, job)))
		})
	}
}

func TestNoResignation(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	whole := play(t, job)
	job.ResignThreshold = 0.3
	require.Equal(t, whole, play(t, job), "moves: 0")
	job.ResignThreshold, job.Config.Resign.ConsecutiveMoves = 0, 1
	for i, e := range play(t, job) {
		require.True(t, e.NoResign, "without a threshold all games are calibration games")
		require.Equal(t, whole[i].Actions, e.Actions)
	}
	job.ResignThreshold = math.NaN()
	_, _, err := selfplay.Play(t.Context(), job)
	require.ErrorContains(t, err, "resignation threshold is NaN")
	require.ErrorContains(t, selfplay.Resign{ConsecutiveMoves: -1, NoResignProbability: 0, MaxFalsePositiveRate: 1}.Validate(), "no_resign_probability is 0 but must be above 0, at most 1")
}

func TestResignedLines(t *testing.T) {
	const row = `"samples":[{"ply":0,"policy":"b2:1","value":[0.9,-0.9],"kl":0}]}`
	header := `{"format":2,"what":"tiro episodes","game":"mnk","version":1,"seed":1,"generation":1,"net":"x"}` + "\n"
	tests := []struct{ name, line, want string }{
		{"good", `{"game":0,"opening":0,"plies":1,"result":[1,-1],"ending":"resignation","actions":["b2"],` + row, ""},
		{"a draw", `{"game":0,"opening":0,"plies":1,"result":[0,0],"ending":"resignation","actions":["b2"],` + row, "must have 1 for one seat"},
		{"played on", `{"game":0,"opening":0,"plies":1,"result":[1,-1],"ending":"resignation","no_resign":true,"actions":["b2"],` + row, "no_resign"},
		{"over", `{"game":0,"opening":0,"plies":5,"result":[1,-1],"ending":"resignation","actions":["b2","a1","b1","a2","b3"],` + row, "the game is over"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			game := newGame(t, "mnk")
			header := strings.Replace(header, `"version":1`, `"version":`+string(rune('0'+game.Spec().Version)), 1)
			_, episodes, err := selfplay.Read(bytes.NewReader(compress(t, header+test.line+"\n")), env.Variants(game, nil))
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, env.Value{1, -1}, episodes[0].Result)
		})
	}
}
