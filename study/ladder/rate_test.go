package ladder

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/arena/rating"
	"tiro/disk/disktest"
	"tiro/env"
	"tiro/net/kernel"
	"tiro/player"
)

// players returns candidates that need no network.
func players(t testing.TB, game env.Game, names ...string) []Candidate {
	var all []Candidate
	for _, name := range names {
		factory, err := player.Plain(game, name)
		require.NoError(t, err)
		all = append(all, Candidate{Factory: factory})
	}
	return all
}

// small returns a rating of tic-tac-toe players that takes a moment.
func small(t testing.TB, names ...string) Options {
	game := theGame(t, "mnk")
	l, err := Find(game)
	require.NoError(t, err)
	return Options{
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

	o.Workers = 1
	o.Begin = func(Upcoming) (func(arena.Progress), func()) {
		t.Error("nothing is left to play")
		return func(arena.Progress) {}, func() {}
	}
	again, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, again)
	o.Dir, o.Begin = t.TempDir(), nil
	alone, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, first, alone)

	// The games of all candidates count, whoever is asked for.
	o.Candidates = o.Candidates[2:]
	one, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.InDelta(t, first.Players[2].Elo.Value, one.Players[0].Elo.Value, 1e-6)
	require.InDelta(t, *first.Players[2].Error, *one.Players[0].Error, 1e-6)
}

// TestRateStopped: an interrupted rating continues to the same report.
func TestRateStopped(t *testing.T) {
	o := small(t, "mcts:10", "mcts:200")
	want, err := Rate(t.Context(), o)
	require.NoError(t, err)
	o.Dir = t.TempDir()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		games := 0
		o.Begin = func(Upcoming) (func(arena.Progress), func()) {
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

// TestRateConditions: all games of the same program count, and no others.
func TestRateConditions(t *testing.T) {
	o := small(t, "mcts:10")
	first, err := Rate(t.Context(), o)
	require.NoError(t, err)
	batches := 0
	o.Begin = func(Upcoming) (func(arena.Progress), func()) {
		batches++
		return func(arena.Progress) {}, func() {}
	}
	o.Tiro = "other"
	other, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 5, batches)
	require.Equal(t, first.Players, other.Players)
	o.Tiro, o.Seed = "test", 2
	again, err := Rate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 5, batches)
	require.Equal(t, first, again)
}

func TestRateRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(o *Options)
		want   string
	}{
		{"another game", func(o *Options) { o.Game = theGame(t, "connect4") }, "a game and its ladder"},
		{"no games", func(o *Options) { o.Games = 0 }, "at least 1, not 0 and 2"},
		{"no error", func(o *Options) { o.Error = math.NaN() }, "not NaN"},
		{"no folder", func(o *Options) { o.Dir = "" }, "a folder for the games"},
		{"a player twice", func(o *Options) { o.Candidates = append(o.Candidates, o.Candidates[0]) }, "mcts:10 and mcts:10 are the same player"},
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

// TestReport: the table, the CSV file and the JSON file.
func TestReport(t *testing.T) {
	o := small(t, "mcts:10", "mcts:15", "random", "greedy")
	o.Candidates[0].Checkpoint = &Checkpoint{Run: "r", Generation: 7, Games: 80, CPUHours: 0.25}
	r, err := Rate(t.Context(), o)
	require.NoError(t, err)
	text := r.String()
	require.Contains(t, text, "mnk: Elo above mcts:5, from games with 2 random actions at the start\n")
	require.Contains(t, text, "\n> mcts:15 ")
	require.Regexp(t, `\n  mcts:5 +0 +\d+  anchor\n`, text)
	require.Regexp(t, `\ngreedy above mcts:15: [+-]\d+, 95% interval [+-]\d+ to [+-]\d+\n`, text)
	var csv bytes.Buffer
	require.NoError(t, r.WriteCSV(&csv))
	lines := strings.Split(strings.TrimSpace(csv.String()), "\n")
	require.Len(t, lines, 5)
	require.Equal(t, "player,elo,error,games,low,high,run,generation,trained_games,cpu_hours", lines[0])
	require.Regexp(t, `^mcts:10,-?\d+\.\d,\d+\.\d,\d+,-?\d+\.\d,-?\d+\.\d,r,7,80,0.25$`, lines[1])
	data, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(data), `{"game":"mnk","tiro":"test",`)

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
	w := world{seats: 2, strength: map[string]float64{"mcts:10": -1000}}
	report, err := w.rater(t, o).rate(t.Context())
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

// TestRepeats: games that a later match of a pair repeats count once.
func TestRepeats(t *testing.T) {
	r, err := newRater(small(t, "mcts:10"))
	require.NoError(t, err)
	records, err := Games("0/1 1/1 01/0").Records(2)
	require.NoError(t, err)
	for i := range records {
		records[i].Moves = []string{fmt.Sprint(i)}
	}
	match := func(seed uint64) *arena.LoggedMatch {
		return &arena.LoggedMatch{
			Conditions: arena.Conditions{Players: []player.Spec{r.Candidates[0].Spec, r.Ladder.Players[0]}, Seed: seed, Opening: r.Ladder.Opening, Tiro: r.by.Tiro, Backend: r.by.Backend},
			Planned:    len(records), Games: records,
		}
	}
	once, err := r.fit([]*arena.LoggedMatch{match(1)})
	require.NoError(t, err)
	twice, err := r.fit([]*arena.LoggedMatch{match(1), match(2)})
	require.NoError(t, err)
	require.Equal(t, once.Ratings.Games, twice.Ratings.Games)
	require.Equal(t, once.Covariance, twice.Covariance)
}

// TestChoose: a round has the most informative pairs, no candidate plays the same opponent twice in
// a row, and of four players that want games one pair meets.
func TestChoose(t *testing.T) {
	o := small(t, "mcts:10", "mcts:12", "mcts:14", "mcts:16")
	r, err := newRater(o)
	require.NoError(t, err)
	middle := r.players[o.Ladder.index("mcts:5")].Spec
	var matches []*arena.LoggedMatch
	for i := range 4 {
		m := &arena.LoggedMatch{Planned: batchGames}
		m.Players, m.Tiro, m.Backend, m.Opening = []player.Spec{o.Candidates[i].Spec, middle}, o.Tiro, o.Backend.Bits(), o.Ladder.Opening
		m.Games, err = Games("01/01 0/0 1/1 0/1 01/01 1/0").Records(2)
		require.NoError(t, err)
		matches = append(matches, m)
	}
	f, err := r.fit(matches)
	require.NoError(t, err)
	pairs := r.pairs(f)
	require.Len(t, pairs, 1)
	require.NotEqual(t, o.Ladder.index("mcts:5"), pairs[0][1])
	require.False(t, r.reference(pairs[0][0]))
	f.last[pairs[0][0]], f.last[pairs[0][1]] = pairs[0][1], pairs[0][0]
	require.NotEqual(t, pairs, r.pairs(f))
}

// TestGrown: candidates that join later continue where the others are, and one that cannot
// play any more is rated by its games.
func TestGrown(t *testing.T) {
	o := small(t, "mcts:10", "mcts:20")
	first, err := Rate(t.Context(), o)
	require.NoError(t, err)
	o.Candidates = append(o.Candidates, players(t, o.Game, "mcts:40")...)
	o.Candidates[0].New = nil
	games := 0
	o.Begin = func(u Upcoming) (func(arena.Progress), func()) {
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
	o.Candidates[0].New = nil
	_, err = Rate(t.Context(), o)
	require.ErrorContains(t, err, "no games link mcts:77 with mcts:5, and it cannot play")
}

// TestUnlinked: candidates that have met only each other are not rated.
func TestUnlinked(t *testing.T) {
	o := small(t, "mcts:10", "mcts:12")
	r, err := newRater(o)
	require.NoError(t, err)
	m := &arena.LoggedMatch{Planned: batchGames}
	m.Players, m.Tiro, m.Backend, m.Opening = []player.Spec{o.Candidates[0].Spec, o.Candidates[1].Spec}, o.Tiro, o.Backend.Bits(), o.Ladder.Opening
	m.Games, err = Games("01/01 0/0 1/1 0/1 01/01 1/0").Records(2)
	require.NoError(t, err)
	report, err := r.report([]*arena.LoggedMatch{m})
	require.NoError(t, err)
	require.False(t, report.Players[0].Candidate)
}

func TestGames(t *testing.T) {
	records, err := Games("0/01/2 1/12/012").Records(3)
	require.NoError(t, err)
	require.Equal(t, []rating.Group{
		{{Seating: []int{4, 5, 5}, Winners: 1}, {Seating: []int{5, 4, 5}, Winners: 3}, {Seating: []int{5, 5, 4}, Winners: 4}},
		{{Seating: []int{4, 5, 5}, Winners: 2}, {Seating: []int{5, 4, 5}, Winners: 6}, {Seating: []int{5, 5, 4}, Winners: 7}},
	}, rating.Groups(arena.CompleteGroups(records, 3), 4, 5))
	require.Equal(t, Games("0/01/2 1/12/012"), GamesOf(records))
	for _, text := range []Games{"0", "0/1/0", "0/x", "/0", "0/2"} {
		_, err := text.Records(2)
		require.Error(t, err, "%q", text)
	}
}

// TestAgainst: the results of a player against each opponent equal the results of a match.
func TestAgainst(t *testing.T) {
	o := small(t, "mcts:10", "mcts:20")
	r, err := Rate(t.Context(), o)
	require.NoError(t, err)
	all, err := r.Against(t.Context(), o.Game, 0)
	require.NoError(t, err)
	games := 0
	for i, a := range all {
		require.Equal(t, 0, a.Games%batchGames)
		require.Equal(t, a.Games, a.Players[0].Wins+a.Players[0].Draws+a.Players[0].Losses)
		if games += a.Games; a.Opponent == "mcts:20" {
			back, err := r.Against(t.Context(), o.Game, 1)
			require.NoError(t, err)
			for _, b := range back {
				if b.Opponent == "mcts:10" {
					require.Equal(t, a.Players[0].Wins, b.Players[0].Losses)
					require.InDelta(t, 1, a.Players[0].Score.Value+b.Players[0].Score.Value, 1e-9)
				}
			}
		}
		require.NotEqual(t, "mcts:10", all[i].Opponent)
	}
	require.Equal(t, r.Players[0].Games, games)
}

// TestAgainstOwnRun: opponents are listed from weak to strong, except that checkpoints of the
// player's own run come last.
func TestAgainstOwnRun(t *testing.T) {
	o := small(t, "mcts:10")
	r, err := Rate(t.Context(), o)
	require.NoError(t, err)
	opponents := func() (names []string) {
		all, err := r.Against(t.Context(), o.Game, 0)
		require.NoError(t, err)
		for _, a := range all {
			names = append(names, a.Opponent)
		}
		return names
	}
	before := opponents()
	require.Greater(t, len(before), 1)
	weakest := slices.IndexFunc(r.Players, func(s Standing) bool { return s.Name == before[0] })
	r.Players[0].Checkpoint = &Checkpoint{Run: "runs/a", Generation: 20}
	r.Players[weakest].Checkpoint = &Checkpoint{Run: "runs/b", Generation: 10}
	require.Equal(t, before, opponents(), "a checkpoint of another run is an opponent like others")
	r.Players[weakest].Checkpoint.Run = "runs/a"
	require.Equal(t, append(slices.Clone(before[1:]), before[0]), opponents())
}
