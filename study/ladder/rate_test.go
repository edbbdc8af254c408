package ladder

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/arena/rating"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/net/kernel"
)

// players returns candidates that need no network.
func players(t testing.TB, game env.Game, names ...string) []Candidate {
	var all []Candidate
	for _, name := range names {
		factory, err := arena.ParsePlayer(game, name)
		require.NoError(t, err)
		all = append(all, Candidate{Player: Player{Name: name}, Make: factory})
	}
	return all
}

// small returns a rating of tic-tac-toe players that takes a moment.
func small(t testing.TB, names ...string) Rating {
	game := theGame(t, "mnk")
	l, err := Find(game)
	require.NoError(t, err)
	return Rating{
		Ladder: l, Game: game, Candidates: players(t, game, names...),
		Games: 60, Error: 10, Seed: 1, Workers: 2, Backend: kernel.Best(), Dir: filepath.Join(t.TempDir(), "rate"), Tiro: "test",
	}
}

// TestRate: the report is the same for any number of workers, and when it is asked
// for again, nothing is played.
func TestRate(t *testing.T) {
	o := small(t, "mcts:10", "mcts:15", "mcts:200")
	first, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, first.Players, 3+len(o.Ladder.Players)-1)
	require.Equal(t, "mcts:15", first.Players[1].Name)
	require.True(t, first.Players[1].Reference && first.Players[1].Candidate, "a reference is rated by the ladder")
	for _, i := range []int{0, 2} {
		s := first.Players[i]
		require.False(t, s.Reference)
		require.Equal(t, 60, s.Games)
		require.NotNil(t, s.Error)
		require.Less(t, *s.Error, s.Elo.High-s.Elo.Value+1e-9, "the ladder adds its own error")
	}
	require.Greater(t, first.Players[2].Elo.Value, first.Players[0].Elo.Value)

	log, err := os.ReadFile(filepath.Join(o.Dir, LogFile))
	require.NoError(t, err)
	o.Workers = 1
	o.Progress = func(Upcoming) (func(arena.Progress), func()) {
		t.Error("nothing is left to play")
		return func(arena.Progress) {}, func() {}
	}
	again, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, again)
	o.Dir, o.Progress = t.TempDir(), nil
	alone, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, alone)
	logAgain, err := os.ReadFile(filepath.Join(o.Dir, LogFile))
	require.NoError(t, err)
	require.Equal(t, string(log), string(logAgain))

	// The games of all candidates count, whoever is asked for.
	o.Candidates = o.Candidates[2:]
	one, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first.Players[2], one.Players[0])
}

// TestRateStopped: an interrupted rating goes on to the same report.
func TestRateStopped(t *testing.T) {
	o := small(t, "mcts:10", "mcts:200")
	want, err := Rate(t.Context(), o)
	require.NoError(t, err)
	o.Dir = t.TempDir()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		games := 0
		o.Progress = func(Upcoming) (func(arena.Progress), func()) {
			return func(arena.Progress) {
				if games++; games == 20 { // in the second batch
					cancel()
				}
			}, func() {}
		}
		got, err := Rate(ctx, o)
		cancel()
		if err == nil {
			require.Equal(t, want, got)
			require.Greater(t, stops, 3)
			return
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, stops, 20)
	}
}

// TestRateConditions: games under other conditions are not mixed with these.
func TestRateConditions(t *testing.T) {
	o := small(t, "mcts:10")
	first, err := Rate(t.Context(), o)
	require.NoError(t, err)
	for name, change := range map[string]func(){
		"seed":    func() { o.Seed = 2 },
		"version": func() { o.Tiro = "other" },
		"ladder":  func() { o.Ladder.Matches = o.Ladder.Matches[1:] },
	} {
		old := *o.Ladder
		change()
		batches := 0
		o.Progress = func(Upcoming) (func(arena.Progress), func()) {
			batches++
			return func(arena.Progress) {}, func() {}
		}
		_, err := Rate(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, 5, batches, name)
		o.Seed, o.Tiro, *o.Ladder = 1, "test", old
	}
	o.Progress = nil
	again, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, again)
}

func TestRateRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(o *Rating)
		want   string
	}{
		{"another game", func(o *Rating) { o.Game = theGame(t, "connect4") }, "want a game and its ladder"},
		{"no games", func(o *Rating) { o.Games = 0 }, "0 games, 2 workers; want 1 or more"},
		{"no error", func(o *Rating) { o.Error = math.NaN() }, "error NaN; want more than 0"},
		{"no folder", func(o *Rating) { o.Dir = "" }, "no folder for the games"},
		{"a player twice", func(o *Rating) { o.Candidates = append(o.Candidates, o.Candidates[0]) }, "mcts:10 plays as mcts:10 does; want each player once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := small(t, "mcts:10")
			test.change(&o)
			_, err := Rate(t.Context(), o)
			require.ErrorContains(t, err, "ladder: rate: ")
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestRateDisk: the log is written through the disk that is handed in.
func TestRateDisk(t *testing.T) {
	o := small(t, "mcts:10")
	fsys := disktest.New()
	o.Disk = fsys
	want, err := Rate(t.Context(), o)
	require.NoError(t, err)
	_, err = fsys.Stat(filepath.Join(o.Dir, LogFile))
	require.NoError(t, err)
	again, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, want, again)
}

// TestLogRefuses what Tiro would not have written.
func TestLogRefuses(t *testing.T) {
	o := small(t, "mcts:10")
	_, err := Rate(t.Context(), o)
	require.NoError(t, err)
	path := filepath.Join(o.Dir, LogFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, test := range []struct{ old, new, want string }{
		{`"tiro rating log"`, `"tiro card"`, "not a file of this kind"},
		{`"format": 1`, `"format": 2`, "written by a newer tiro"},
		{`"name": "mcts:10"`, `"name": ""`, `pools[0].candidates[0].name is ""`},
		{`"name": "mcts:10"`, `"name": "mcts:10", "weights": "7"`, `candidates[0].weights is "7"`},
		{`"ladder": "`, `"ladder": "x`, "pools[0].ladder is"},
		{`"opening": 2`, `"opening": -2`, `pools[0].opening is "-2"`},
		{`"games": "`, `"games": "2/2 `, "pools[0].batches[0].games: group 0: winners"},
		{`"a": 0`, `"a": 1`, "pools[0].batches[0].a is"},
		{`"a": 0`, `"a": 0, "b": 0`, "pools[0].batches[0].b is"},
		{`"pairs": 1`, `"pairs": 0`, "pools[0].batches[0].pairs is"},
		{`"round": 1`, `"round": 0`, "pools[0].batches[0].round is"},
		{`"round": 1`, `"round": 3`, "pools[0].batches[1].round is"},
		{`"reference": "mcts:5"`, `"reference": "nobody"`, "the log has games against nobody"},
		{`"seed": 1`, `"seed": 1, "colour": 2`, `unknown field "colour"`},
	} {
		require.Contains(t, string(text), test.old)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), test.old, test.new, 1)), 0o666))
		_, err := Rate(t.Context(), o)
		require.ErrorContains(t, err, path+": ")
		require.ErrorContains(t, err, test.want)
		require.ErrorContains(t, err, "; move it elsewhere, or name another folder")
	}
}

// FuzzLog: a log is refused, or written again as it was read.
func FuzzLog(f *testing.F) {
	spec := theGame(f, "mnk").Spec()
	f.Add([]byte(`{"format":1,"what":"tiro rating log","pools":[{"tiro":"t","backend":"go","opening":1,"seed":2,"ladder":"` +
		strings.Repeat("a", 64) + `","candidates":[{"name":"a"},{"name":"b"}],"batches":[{"round":1,"pairs":1,"a":0,"reference":"random","games":"0/1 01/0"},{"round":2,"pairs":2,"a":1,"b":0,"games":"0/1"}]}]}`))
	f.Add([]byte(`{"format":1,"what":"tiro rating log","pools":[{}]}`))
	f.Add([]byte(`{"format":1,"what":"tiro rating log","pools":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, again := &log{}, &log{}
		if l.read(data, spec) != nil {
			return
		}
		text, err := json.Marshal(l.content)
		require.NoError(t, err)
		require.NoError(t, again.read(text, spec))
		require.Equal(t, l.content, again.content)
	})
}

// TestReport: the table, the file for spreadsheets, and that of programs.
func TestReport(t *testing.T) {
	o := small(t, "mcts:10", "mcts:15", "random", "greedy")
	o.Candidates[0].Checkpoint = &Checkpoint{Run: "r", Generation: 7, Games: 80, CPUHours: 0.25}
	r, err := Rate(t.Context(), o)
	require.NoError(t, err)
	text := r.String()
	require.Contains(t, text, "mnk: Elo above mcts:5, by games with 2 random actions at the start\n")
	require.Contains(t, text, "\n> mcts:15 ")
	require.Regexp(t, `\n  mcts:5 +0 +\d+  the anchor\n`, text)
	require.Regexp(t, `\ngreedy above mcts:15: [+-]\d+, 95% interval [+-]\d+ to [+-]\d+\n`, text)
	var csv bytes.Buffer
	require.NoError(t, r.WriteCSV(&csv))
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	require.Len(t, lines, 5)
	require.Equal(t, "player,elo,error,games,low,high,run,generation,trained_games,cpu_hours", lines[0])
	require.Regexp(t, `^mcts:10,-?\d+\.\d,\d+\.\d,\d+,-?\d+\.\d,-?\d+\.\d,r,7,80,0.25$`, lines[1])
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(data), `{"format":1,"what":"tiro ratings","game":"mnk","tiro":"test",`)

	o.Candidates = nil
	r, err = Rate(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, r.Players, len(o.Ladder.Players))
	require.Contains(t, r.String(), "\nmcts:50 ")
	csv.Reset()
	require.NoError(t, r.WriteCSV(&csv))
	require.Equal(t, 1+len(o.Ladder.Players), strings.Count(csv.String(), "\n"))
}

// TestBeyond: a player that loses everything has a bound, and stops soon.
func TestBeyond(t *testing.T) {
	o := small(t, "mcts:10")
	o.Games = 1000
	r := newRater(o)
	r.meet = func(context.Context, side, side, int, Upcoming) (Games, error) { return "1/0 1/0 1/0 1/0 1/0 1/0", nil }
	report, err := r.rate(t.Context())
	require.NoError(t, err)
	s := report.Players[0]
	require.Equal(t, beyondGames, s.Games)
	require.Nil(t, s.Error)
	require.True(t, math.IsInf(s.Elo.Low, -1) && math.IsNaN(s.Elo.Value))
	require.Regexp(t, `\n> mcts:10 +60  at most -\d+\n`, report.String())
	var csv bytes.Buffer
	require.NoError(t, report.WriteCSV(&csv))
	require.Regexp(t, `\nmcts:10,,,60,,-\d+\.\d,,,,\n`, csv.String())
}

// TestChoose: a round is of pairs that tell most, nobody meets the same player twice in
// a row, and of four players that want games one pair meets.
func TestChoose(t *testing.T) {
	o := small(t, "mcts:10", "mcts:12", "mcts:14", "mcts:16")
	r := newRater(o)
	r.pool.Candidates = []Player{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}}
	r.number = []int{0, 1, 2, 3}
	references := len(o.Ladder.Players)
	for i := range 4 {
		r.pool.Batches = append(r.pool.Batches, logged{Round: 1 + i, A: i, Reference: "mcts:5", Games: "01/01 0/0 1/1 0/1 01/01 1/0"})
	}
	pairs, err := r.pairs(5)
	require.NoError(t, err)
	require.Len(t, pairs, 1)
	require.NotEqual(t, o.Ladder.index("mcts:5"), pairs[0].b)
	met := pairs[0]
	next := logged{Round: 5, A: met.a - references, Games: "0/1 1/0"}
	if b := met.b - references; b >= 0 {
		next.B = &b
	} else {
		next.Reference = o.Ladder.Players[met.b].Name
	}
	r.pool.Batches = append(r.pool.Batches, next)
	again, err := r.pairs(6)
	require.NoError(t, err)
	require.NotEqual(t, met, again[0])
	same, err := r.pairs(5)
	require.NoError(t, err)
	require.Equal(t, pairs, same, "a round depends on those before it only")
}

// TestGrown: candidates that join later go on where the others are, and one that cannot
// play any more is rated by its games.
func TestGrown(t *testing.T) {
	o := small(t, "mcts:10", "mcts:20")
	first, err := Rate(t.Context(), o)
	require.NoError(t, err)
	o.Candidates = append(o.Candidates, players(t, o.Game, "mcts:40")...)
	o.Candidates[0].Make = nil
	games := 0
	o.Progress = func(u Upcoming) (func(arena.Progress), func()) {
		require.NotContains(t, u.Title, "mcts:10")
		games += u.Games
		return func(arena.Progress) {}, func() {}
	}
	second, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.GreaterOrEqual(t, games, 60)
	require.Equal(t, first.Players[0].Games, second.Players[0].Games)
	require.Equal(t, 60, second.Players[2].Games)

	o.Candidates = players(t, o.Game, "mcts:77")
	o.Candidates[0].Make = nil
	_, err = Rate(t.Context(), o)
	require.ErrorContains(t, err, "mcts:77 has played no games, and cannot play")
}

func TestGames(t *testing.T) {
	groups, err := Games("0/01 2/012").groups(2, 4, 5)
	require.Error(t, err)
	require.Empty(t, groups)
	groups, err = Games("0/01/2 1/12/012").groups(3, 4, 5)
	require.NoError(t, err)
	require.Equal(t, []rating.Group{
		{{Seating: []int{4, 5, 5}, Winners: 1}, {Seating: []int{5, 4, 5}, Winners: 3}, {Seating: []int{5, 5, 4}, Winners: 4}},
		{{Seating: []int{4, 5, 5}, Winners: 2}, {Seating: []int{5, 4, 5}, Winners: 6}, {Seating: []int{5, 5, 4}, Winners: 7}},
	}, groups)
	require.Equal(t, 6, Games("0/01/2 1/12/012").count())
	require.Zero(t, Games("").count())
	require.Equal(t, Games("0/1 1/1"), Games("0/1").join("1/1"))
	for _, text := range []Games{"", " ", "0/1  0/1", "0", "0/1/0", "0/x", "10/0", "0/00", "/0", "0/1\n"} {
		_, err := text.groups(2, 0, 1)
		require.Error(t, err, "%q", text)
	}
}

// TestGamesOf: a match as package arena reports it, with the seatings of both.
func TestGamesOf(t *testing.T) {
	game := theGame(t, "pacru:players=3")
	m := arena.Match{Game: game, Players: []arena.PlayerFactory{arena.Random(), arena.Random()}, Games: 6, Seed: 1, Workers: 2}
	report, err := arena.Play(t.Context(), m)
	require.NoError(t, err)
	text := gamesOf(report)
	groups, err := text.groups(3, 0, 1)
	require.NoError(t, err)
	for i, r := range report.Records {
		g := groups[i/3][i%3]
		require.Equal(t, r.Seating, g.Seating)
		for seat, payoff := range r.Result {
			require.Equal(t, payoff > 0 || payoff == 0 && g.Winners == 7, g.Winners&(1<<seat) != 0)
		}
	}
}
