package play

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/player"
	"tiro/player/clock"
)

// A program that never answers loses on time. One that crashes or plays an illegal move in time
// forfeits the game as without a clock.
func TestProgramsUnderClocks(t *testing.T) {
	game := newGame(t, "connect4")
	for kind, test := range map[string]struct{ settings, ending string }{
		"silent":          {",tc=0.1", arena.TimeForfeit},
		"crashing":        {",tc=3600", arena.Forfeited},
		"lying":           {",st=3600", arena.Forfeited},
		"engine connect4": {",nodes=4,tc=40/3600+1", ""},
	} {
		t.Run(kind, func(t *testing.T) {
			program := ugi(t, game, kind, test.settings+",timeout=1m")
			m := arena.Match{Game: game, Players: []player.Factory{program, player.Must(game, "random")}, Games: 2, Seed: 1, Workers: 1, Opening: 2}
			m.Clock.Now = time.Now
			report, err := arena.Play(t.Context(), m)
			require.NoError(t, err)
			forfeits := report.Endings[arena.TimeForfeit] + report.Endings[arena.Forfeited]
			if test.ending == "" {
				require.Zero(t, forfeits)
			} else {
				require.Equal(t, map[string]int{test.ending: 2}, report.Endings)
			}
		})
	}
}

// clocksOf returns the clocks of a game in which the last seat is on turn.
func clocksOf(t *testing.T, texts ...string) *clock.Game {
	var all []clock.Control
	for _, text := range texts {
		var c clock.Control
		if text != "" {
			require.NoError(t, c.UnmarshalText([]byte(text)))
		}
		all = append(all, c)
	}
	g := clock.NewGame(time.Now, all)
	g.Start(len(texts) - 1)
	return g
}

// Programs learn the clocks of all seats, in the terms of their protocol.
func TestProgramsLearnTheClocks(t *testing.T) {
	for _, test := range []struct {
		clocks []string
		want   string
	}{
		{[]string{"tc=10+0.1", "tc=5"}, " p1time 10100 p1inc 100 p2time 5000 p2inc 0"},
		{[]string{"", "tc=5", "tc=40/60+1"}, " p2time 5000 p2inc 0 p3time 61000 p3inc 1000 movestogo 40"},
		{[]string{"tc=10", "st=0.5"}, " movetime 500"},
	} {
		p := &ugiPlayer{program: program{clocks: clocksOf(t, test.clocks...)}}
		require.Equal(t, test.want, p.limits())
	}
	require.Empty(t, (&ugiPlayer{}).limits())
	for _, test := range []struct {
		control        string
		kata           bool
		settings, left string
	}{
		{"tc=10+0.1", false, "time_settings 10 0 0", "10 0"},
		{"tc=10+0.1", true, "kata-time_settings fischer 10.000 0.100", "10.100 0"},
		{"tc=40/60", false, "time_settings 0 60 40", "60 40"},
		{"tc=60.5", true, "time_settings 60.500 0 0", "60.500 0"},
		{"st=0.5", false, "time_settings 0 1 1", "0 1"},
		{"st=2", true, "time_settings 0 2.000 1", "2.000 1"},
	} {
		g := clocksOf(t, test.control)
		p := &gtpPlayer{program: program{clocks: g}, clock: g.Seats()[0].Control, kata: test.kata}
		require.Equal(t, test.settings, p.timeSettings())
		require.Equal(t, test.left, p.timeLeft())
	}
}

// The engine plays whole games by GTP under its own clocks.
func TestGTPEngineUnderAClock(t *testing.T) {
	answers := gtpAnswers(t, gtpEngineOf(t, "othello:size=6"), "kata-time_settings fischer 1 0.01\ngenmove b\ngenmove w\ntime_left b 0.2 0\ngenmove b\ntime_settings 0 1 5\ngenmove w\n")
	require.Len(t, answers, 7)
	for _, answer := range answers {
		require.Equal(t, byte('='), answer[0], answer)
	}
}

// TestEngineLearnsTheLag: an engine that loses 25 ms a move outside its searches keeps time for
// it, and makes more moves in the same time.
func TestEngineLearnsTheLag(t *testing.T) {
	now := time.Unix(0, 0)
	e := newEngine(t, newGame(t, "connect4"))
	e.Now = func() time.Time { now = now.Add(time.Millisecond); return now }
	g := e.begin(io.Discard)
	require.NoError(t, g.makePlayers())
	left, moves := 3*time.Second, 0
	for ; left > 0; moves++ {
		began := now
		require.NoError(t, g.execute(t.Context(), fmt.Sprintf("go p1time %d", left.Milliseconds())))
		g.wait()
		left -= now.Sub(began) + 25*time.Millisecond
	}
	require.Greater(t, moves, 37) // 34 without
}

// TestGTPOvertime: without main time a game begins in overtime, and in byo-yomi time_left gives
// the number of periods, not of stones.
func TestGTPOvertime(t *testing.T) {
	g := &gtpEngine{engine: gtpEngineOf(t, "go:size=5").begin(io.Discard)}
	period := limits{timed: true, time: clock.Time{Left: 30 * time.Second, Moves: 1, Fixed: true}}
	for _, settings := range []string{"canadian 0 30 1", "byoyomi 0 30 5"} {
		_, err := g.timeSettings(strings.Fields(settings))
		require.NoError(t, err)
		require.Equal(t, period, g.clock.limits(0, 7))
	}
	_, err := g.timeSettings([]string{"byoyomi", "600", "30", "5"})
	require.NoError(t, err)
	_, err = g.timeLeft([]string{"b", "30", "5"})
	require.NoError(t, err)
	require.Equal(t, period, g.clock.limits(0, 7))
}
