package clock

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// Time controls are read as fastchess and cutechess write them, and written in one form.
func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		c    Control
		text string
	}{
		"10+0.1":     {Control{Main: 10 * time.Second, Increment: 100 * ms}, "tc=10+0.1"},
		"1+0.01":     {Control{Main: time.Second, Increment: 10 * ms}, "tc=1+0.01"},
		"60":         {Control{Main: time.Minute}, "tc=60"},
		"40/60":      {Control{Main: time.Minute, Moves: 40}, "tc=40/60"},
		"40/60+0.5":  {Control{Main: time.Minute, Moves: 40, Increment: 500 * ms}, "tc=40/60+0.5"},
		"5:00+3":     {Control{Main: 5 * time.Minute, Increment: 3 * time.Second}, "tc=300+3"},
		"40/1:30.5":  {Control{Main: 90500 * ms, Moves: 40}, "tc=40/90.5"},
		"0+1":        {Control{Increment: time.Second}, "tc=0+1"},
		"0.0005+0":   {Control{Main: ms}, "tc=0.001"},
		"1440:00":    {Control{Main: maxTime}, "tc=86400"},
		"10000/60+0": {Control{Main: time.Minute, Moves: maxMoves}, "tc=10000/60"},
	} {
		c, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want.c, c, text)
		require.Equal(t, want.text, c.String())
		require.NoError(t, c.Validate())
	}
	for _, text := range []string{
		"", "x", "0", "0+0", "-1", "10+", "10+-1", "+1", "40/", "0/60", "/60", "40/0+1", "1e9", "nan", "inf", "10001/60",
		"1:2:3", "-1:30", "24:00:01", "1440:01", "10s", "10+0.1+1", "40/40/60", "9999999999999999999:0",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, "10+0.1", text)
	}
}

func TestSettings(t *testing.T) {
	for _, text := range []string{"tc=10+0.1", "tc=40/60+0.5,timemargin=50", "st=0.25", "st=1,timemargin=10"} {
		var c Control
		require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &c))
		back, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, `"`+text+`"`, string(back))
	}
	for text, want := range map[string]string{
		"tc=10,st=1": "st=1", "st=1,tc=0+1": "tc=0+1", "timemargin=3": "timemargin", "st=0": "st", "st=-1": "st", "st=1s": "such as 1",
		"timemargin=0.5,st=1": "whole number", "tc=1,timemargin=-1": "timemargin", "time=3": "unknown", "": "unknown",
	} {
		var c Control
		require.ErrorContains(t, c.UnmarshalText([]byte(text)), want, text)
	}
	require.False(t, Control{Margin: ms}.Limits())
}

func TestSeat(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name  string
		c     Control
		spent []time.Duration
		want  []Time // before each move, and after the last one
	}{
		{
			"increment",
			Control{Main: 10 * second, Increment: second},
			[]time.Duration{3 * second, second / 2},
			[]Time{{11 * second, second, 0, false}, {9 * second, second, 0, false}, {9500 * ms, second, 0, false}},
		},
		{
			"moves",
			Control{Main: 60 * second, Moves: 2, Increment: second},
			[]time.Duration{10 * second, 20 * second, second},
			[]Time{{61 * second, second, 2, false}, {52 * second, second, 1, false}, {93 * second, second, 2, false}, {93 * second, second, 1, false}},
		},
		{
			"move time",
			Control{Move: second},
			[]time.Duration{second / 2, second},
			[]Time{{second, 0, 1, true}, {second, 0, 1, true}, {second, 0, 1, true}},
		},
		{
			"overtime",
			Control{Main: 60 * second, Overtime: 30 * second, Stones: 3},
			[]time.Duration{50 * second, 11 * second, 10 * second, second, second},
			[]Time{
				{60 * second, 10 * second, 0, false},
				{10 * second, 10 * second, 0, false},
				{30 * second, 0, 3, true},
				{20 * second, 0, 2, true},
				{19 * second, 0, 1, true},
				{30 * second, 0, 3, true},
			},
		},
		{
			"overtime without main time",
			Control{Overtime: 30 * second, Stones: 1},
			[]time.Duration{29 * second, second},
			[]Time{{30 * second, 0, 1, true}, {30 * second, 0, 1, true}, {30 * second, 0, 1, true}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewSeat(test.c)
			for i, d := range test.spent {
				require.Equal(t, test.want[i], s.Time(), "move %d", i)
				s.Spend(d)
				s.EndTurn()
			}
			require.Equal(t, test.want[len(test.spent)], s.Time())
		})
	}
}

// hand is a clock that a test sets.
type hand struct{ at time.Time }

func (h *hand) now() time.Time       { return h.at }
func (h *hand) wait(d time.Duration) { h.at = h.at.Add(d) }

// A seat loses on time when it exceeds its time and the margin, and seats without a control
// never do.
func TestGame(t *testing.T) {
	h := &hand{}
	g := NewGame(h.now, []Control{{Main: time.Second, Margin: 50 * ms}, {}})
	move := func(seat int, d time.Duration) error {
		g.Start(seat)
		h.wait(d)
		err := g.Stop()
		g.EndTurn()
		return err
	}
	require.NoError(t, move(0, 600*ms))
	require.NoError(t, move(1, time.Hour))
	require.NoError(t, move(0, 450*ms), "within the margin")
	require.NoError(t, move(0, 50*ms))
	require.ErrorIs(t, move(0, 51*ms), ErrOver)
	require.True(t, g.Limited(0))
	require.False(t, g.Limited(1))

	g = NewGame(h.now, []Control{{Move: time.Second}})
	g.Start(0)
	h.wait(time.Hour) // a preparation
	g.Restart()
	h.wait(time.Second)
	require.NoError(t, g.Stop())
	require.NoError(t, NewGame(nil, make([]Control, 2)).Stop(), "no clock is needed without controls")
}
