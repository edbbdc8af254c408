package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/env"
	"tiro/env/games"
	players "tiro/player"
	"tiro/selfplay"
	"tiro/train"
)

// FuzzMessages: no message makes a worker or a trainer panic, and what is taken for
// start positions and announcements can be played.
func FuzzMessages(f *testing.F) {
	game, err := games.New("mnk")
	require.NoError(f, err)
	job := selfplay.Job{Game: game, Config: selfplay.Default(), Seed: 1, Generation: 1, Games: 4, Workers: 1}
	g := train.Games{Job: job, Header: selfplay.NewHeader(game.Spec(), 1, 1, "net"), Backend: "go"}
	order, err := newGeneration(&g, "v1", 1000)
	require.NoError(f, err)
	text, err := order.encode()
	require.NoError(f, err)
	_, err = parseAnnouncement(text, "v1", games.New)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"held":[1],"sent":[],"want":3}`))
	f.Add([]byte(`{"id":"x","granted":[1],"share":3}`))
	match, played := someMatch(f, game, 7)
	for _, g := range played {
		text, err := g.message()
		require.NoError(f, err)
		_, err = match.read(text)
		require.NoError(f, err)
		f.Add(text)
	}
	text, err = match.encode()
	require.NoError(f, err)
	_, err = parseAnnouncement(text, "v1", games.New)
	require.NoError(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := parseAnnouncement(data, "v1", games.New); err == nil {
			switch w := o.assignment.(type) {
			case *generation:
				require.NoError(t, w.job.Validate())
			case *matches:
				for i := range w.all {
					require.NoError(t, w.all[i].Validate())
				}
			}
		}
		_ = decodeMessage(data, maxRequest, new(request))
		_ = decodeMessage(data, maxRequest, new(reply))
		if e, err := order.read(data); err == nil {
			require.NoError(t, order.job.Check(&e.(*episode).Episode))
		}
		if e, err := match.read(data); err == nil {
			require.NoError(t, match.all[0].Check(&e.(*matchGame).GameRecord))
		}
	})
}

// someMatch returns a match that is announced, of games of so many plies at most, 0 for
// any number, and its games.
func someMatch(t testing.TB, rules env.Game, maxPlies int) (*matches, []game) {
	o := Options{Version: "v1", Lease: time.Second, Backend: "go", Find: games.New}
	m := arena.Match{Game: rules, Players: []players.Factory{players.Must(rules, "alphabeta:2"), players.Must(nil, "random")}, Games: 4, Seed: 3, Opening: 1}
	m.Adjudication = arena.Adjudication{Threshold: 0.9, ConsecutiveMoves: 1, PlayOut: 0.5, MaxPlies: maxPlies}
	match, err := (&Trainer{o: o}).newMatches([]arena.Wanted{{Match: m, Games: []int{0, 1, 2, 3}}})
	require.NoError(t, err)
	own, err := match.local("go", &counter{})
	require.NoError(t, err)
	numbers := make(chan int, 4)
	for n := range 4 {
		numbers <- n
	}
	close(numbers)
	var played []game
	finished := func(g game) error { played = append(played, g); return nil }
	require.NoError(t, own.play(context.Background(), playing{workers: 2, expected: 4, numbers: numbers, finished: finished}))
	return match, played
}
