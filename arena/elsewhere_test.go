package arena

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/mcts"
	"tiro/player"
)

// elsewhere plays games on a few goroutines in a shuffled order, and passes them on as text, as
// if other machines had played them.
type elsewhere struct{ t *testing.T }

// scattered returns the numbers in a shuffled order, the same for each call.
func scattered(numbers []int) []int {
	numbers = slices.Clone(numbers)
	env.NewRand(7).Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return numbers
}

func (e *elsewhere) PlayGames(ctx context.Context, all []Wanted) error {
	for _, w := range all {
		e.play(ctx, &w, w.Games)
	}
	return ctx.Err()
}

// play plays the games with the given numbers.
func (e *elsewhere) play(ctx context.Context, w *Wanted, games []int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var one sync.Mutex
	var wait sync.WaitGroup
	numbers := make(chan int, len(games))
	for _, n := range scattered(games) {
		numbers <- n
	}
	close(numbers)
	next := func(wait bool) (int, bool) {
		select {
		case n, ok := <-numbers:
			return n, ok
		default:
			require.False(e.t, wait)
			return NoneNow, true
		}
	}
	done := func(r GameRecord) error {
		text, err := json.Marshal(r)
		require.NoError(e.t, err)
		r = GameRecord{}
		require.NoError(e.t, json.Unmarshal(text, &r))
		require.NoError(e.t, w.Match.Check(&r))
		one.Lock()
		defer one.Unlock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !w.Take(r) {
			cancel()
		}
		return nil
	}
	for range 3 {
		wait.Go(func() {
			if err := w.Match.PlayNumbers(ctx, 4, next, done); !errors.Is(err, context.Canceled) {
				require.NoError(e.t, err)
			}
		})
	}
	wait.Wait()
}

// networked returns players that search with a uniform evaluator.
func networked(game env.Game, simulations int) player.Factory {
	n := player.Network{
		Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, SHA256: strings.Repeat("0", 64),
		TrainedFor: game.Spec().Name, Write: func(io.Writer) error { return nil },
	}
	f, err := player.Searching("net", game, player.NetworkConfig(simulations), 0.5, n)
	if err != nil {
		panic(err)
	}
	return f
}

// remoteMatches returns matches of every kind.
func remoteMatches(t *testing.T) map[string]Match {
	game := ticTacToe(t)
	three, err := games.New("shacru:players=3")
	require.NoError(t, err)
	return map[string]Match{
		"two seats":   {Game: game, Players: []player.Factory{networked(game, 12), networked(game, 6)}, Games: 24, Seed: 2, Opening: 2},
		"three seats": {Game: three, Players: []player.Factory{networked(three, 4), player.Must(three, "greedy"), player.Must(nil, "random")}, Games: 12, Seed: 3, Opening: 4},
		"adjudicated": {
			Game: game, Players: []player.Factory{player.Must(game, "alphabeta:3"), player.Must(game, "stubborn:2")}, Games: 48, Seed: 4, Opening: 2,
			Adjudication: Adjudication{Threshold: 0.9, ConsecutiveMoves: 1, PlayOut: 0.5, MaxPlies: 8},
		},
		"test": {
			Game: game, Players: []player.Factory{player.Must(game, "mcts:60"), player.Must(nil, "random")}, Games: 400, Seed: 5, Opening: 1,
			SPRT: &SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05},
		},
	}
}

// TestElsewhere: a match played elsewhere, or resumed there, has the same report as a local
// match.
func TestElsewhere(t *testing.T) {
	for name, m := range remoteMatches(t) {
		t.Run(name, func(t *testing.T) {
			m.Workers = 2
			want, err := Play(t.Context(), m)
			require.NoError(t, err)
			m.Workers, m.Elsewhere = 0, &elsewhere{t: t}
			got, err := Play(t.Context(), m)
			require.NoError(t, err)
			requireSameReport(t, want, got)
			require.Equal(t, want.String(), got.String())

			m.Finished = want.Records[:len(want.Records)/2]
			got, err = Play(t.Context(), m)
			require.NoError(t, err)
			requireSameReport(t, want, got)
		})
	}
}

// lost is a Gameplayer that fails after a game.
type lost struct{ elsewhere }

func (l *lost) PlayGames(ctx context.Context, all []Wanted) error {
	l.play(ctx, &all[0], all[0].Games[:1])
	return errors.New("all machines are gone")
}

// TestLostElsewhere checks that games played before a failure of the Gameplayer are reported,
// and that errors of Record are returned.
func TestLostElsewhere(t *testing.T) {
	m := remoteMatches(t)["two seats"]
	m.Elsewhere = &lost{elsewhere{t: t}}
	report, err := Play(t.Context(), m)
	require.ErrorContains(t, err, "all machines are gone")
	require.Equal(t, 1, report.Games)

	m.Elsewhere = &elsewhere{t: t}
	m.Record = func(GameRecord) error { return errors.New("the disk is full") }
	_, err = Play(t.Context(), m)
	require.ErrorContains(t, err, "the disk is full")

	m.Record = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Play(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "match stopped after 0 of 24 games")
}

// TestPlayAll: several matches played at once have the same reports as each match alone.
func TestPlayAll(t *testing.T) {
	all := remoteMatches(t)
	matches := []Match{all["two seats"], all["adjudicated"]}
	for i := range matches {
		matches[i].Elsewhere = &elsewhere{t: t}
	}
	reports, err := PlayAll(t.Context(), matches)
	require.NoError(t, err)
	for i, m := range matches {
		m.Elsewhere, m.Workers = nil, 1
		want, err := Play(t.Context(), m)
		require.NoError(t, err)
		requireSameReport(t, want, reports[i])
	}
	matches[1].Games = 3
	_, err = PlayAll(t.Context(), matches)
	require.ErrorContains(t, err, "games is 3")
}

// TestCheckRefuses: games that break the rules or do not follow from the match are refused.
func TestCheckRefuses(t *testing.T) {
	m := remoteMatches(t)["adjudicated"]
	m.Workers = 1
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	find := func(ok func(*GameRecord) bool) GameRecord {
		i := slices.IndexFunc(report.Records, func(r GameRecord) bool { return ok(&r) })
		require.GreaterOrEqual(t, i, 0)
		return report.Records[i]
	}
	adjudicated := find(func(r *GameRecord) bool { return r.Ending == Adjudicated })
	ended := find(func(r *GameRecord) bool { return r.Ending == "k-in-row" && r.AgreedWinner == nil })
	long := find(func(r *GameRecord) bool { return r.Ending == LengthLimit && r.AgreedWinner == nil })
	other := find(func(r *GameRecord) bool { return r.Moves[0] != ended.Moves[0] })
	for _, test := range []struct {
		name   string
		from   GameRecord
		change func(r *GameRecord)
		want   string
	}{
		{"number", ended, func(r *GameRecord) { r.Number = 48 }, "number 48"},
		{"negative number", ended, func(r *GameRecord) { r.Number = -1 }, "number -1"},
		{"seating", ended, func(r *GameRecord) { r.Seating = []int{1, 1} }, "seating"},
		{"group", ended, func(r *GameRecord) { r.Group++ }, "group"},
		{"forfeit", ended, func(r *GameRecord) { r.Forfeit = &player.Forfeit{} }, "forfeit"},
		{"forfeited", ended, func(r *GameRecord) { r.Ending = Forfeited }, "forfeit"},
		{"opening", ended, func(r *GameRecord) { r.Moves = other.Moves; r.Result = other.Result; r.Ending = other.Ending }, "opening"},
		{"opening's length", ended, func(r *GameRecord) { r.Opening = 0 }, "opening of 0"},
		{"opening too long", ended, func(r *GameRecord) { r.Opening = 100 }, "opening 100"},
		{"illegal move", ended, func(r *GameRecord) { r.Moves[2] = r.Moves[0] }, "move 3"},
		{"noise", ended, func(r *GameRecord) { r.Moves[2] = "\xff" }, "move 3"},
		{"cut off", ended, func(r *GameRecord) { r.Moves = r.Moves[:len(r.Moves)-1] }, "result"},
		{"result", ended, func(r *GameRecord) { r.Result = []float32{0, 0} }, "result"},
		{"ending", ended, func(r *GameRecord) { r.Ending = "fun" }, "ending"},
		{"no efforts", ended, func(r *GameRecord) { r.Effort = nil }, "efforts of 0 players"},
		{"moves of an effort", ended, func(r *GameRecord) { r.Effort[1].Moves++ }, "player 1"},
		{"negative nodes", ended, func(r *GameRecord) { r.Effort[0].Nodes = -1 }, "player 0"},
		{"many nodes", ended, func(r *GameRecord) { r.Effort[0].Nodes = 1 << 62 }, "player 0"},
		{"agreed", ended, func(r *GameRecord) { r.AgreedWinner = new(int) }, ""},
		{"another winner", adjudicated, func(r *GameRecord) { *r.AgreedWinner = 1 - *r.AgreedWinner }, "result"},
		{"no agreement", adjudicated, func(r *GameRecord) { r.AgreedWinner = nil }, "ending"},
		{"no such seat", adjudicated, func(r *GameRecord) { r.AgreedWinner = new(9) }, "agreed winner 9"},
		{"limit before its time", adjudicated, func(r *GameRecord) { r.Ending = LengthLimit }, "ending"},
		{"limit that was won", long, func(r *GameRecord) { r.Result = []float32{1, -1} }, "result"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(test.from)
			require.NoError(t, err)
			var r GameRecord
			require.NoError(t, json.Unmarshal(text, &r))
			require.NoError(t, m.Check(&r))
			test.change(&r)
			if r.AgreedWinner != nil && test.want == "" { // each game draws at random whether agreement ends it
				playOut := newAdjudicator(m.Adjudication, nil, env.NewRand(m.Seed, uint64(r.Number), purposePlayOut)).playOut
				require.Equal(t, playOut, m.Check(&r) == nil)
				return
			}
			require.ErrorContains(t, m.Check(&r), test.want)
		})
	}
}
