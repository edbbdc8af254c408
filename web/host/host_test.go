package host_test

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env/games"
	"tiro/web/host"
)

// shelf is a store for use from several goroutines.
type shelf struct{ sync.Map }

func (s *shelf) Save(id string, data []byte) error { s.Store(id, data); return nil }

func (s *shelf) Load(id string) ([]byte, error) {
	if data, ok := s.Map.Load(id); ok {
		return data.([]byte), nil
	}
	return nil, fs.ErrNotExist
}

// TestEvictedGames: games that evict each other from memory lose no move, and of several
// competing requests for a ply exactly one succeeds.
func TestEvictedGames(t *testing.T) {
	const (
		gamesAtOnce = 3
		rivals      = 4
		plies       = 60
	)
	var ids atomic.Int64
	h, err := host.New(host.Options{
		Offers: []host.Offer{{Game: "connect4", Title: "Connect Four", Seats: []string{"x", "o"}}},
		Find:   games.New, Store: &shelf{}, MaxGames: 1, Searches: 1,
		NewID: func() string { return fmt.Sprintf("game%04d", ids.Add(1)) },
	})
	require.NoError(t, err)
	t.Cleanup(h.Close)
	ask := func(path, body string) (host.View, error) {
		answer, err := h.Answer(context.Background(), host.Request{Post: body != "", Path: path, Body: []byte(body)})
		if err != nil {
			return host.View{}, err
		}
		return answer.(host.View), nil
	}
	for range gamesAtOnce {
		_, err := ask("games", `{"game":"connect4","seats":["human","human"]}`)
		require.NoError(t, err)
	}
	var running sync.WaitGroup
	for i := range gamesAtOnce {
		for ply := range plies / gamesAtOnce {
			path := fmt.Sprintf("games/game%04d", i+1)
			move := fmt.Sprintf(`{"ply":%d,"move":"%d"}`, ply, 1+ply*3%7)
			var accepted atomic.Int64
			for range rivals {
				running.Go(func() {
					if _, err := ask(path+"/play", move); err == nil {
						accepted.Add(1)
					}
				})
			}
			for other := range gamesAtOnce {
				running.Go(func() { _, _ = ask(fmt.Sprintf("games/game%04d", other+1), "") })
			}
			running.Wait()
			require.EqualValues(t, 1, accepted.Load(), "game %d, ply %d", i+1, ply)
		}
	}
	for i := range gamesAtOnce {
		view, err := ask(fmt.Sprintf("games/game%04d", i+1), "")
		require.NoError(t, err)
		require.Equal(t, plies/gamesAtOnce, view.Ply)
	}
}

// TestNewOffer: a network is offered in every game that it can play, the last network is the
// analyst, and some players need no network.
func TestNewOffer(t *testing.T) {
	rules, err := games.New("connect4")
	require.NoError(t, err)
	other, err := games.New("mnk")
	require.NoError(t, err)
	o := host.NewOffer(rules, "Connect Four", host.Network{Path: "a", Text: "a", Spec: rules.Spec()},
		host.Network{Path: "b", Text: "b", Spec: other.Spec()}, host.Network{Path: "bundled", Text: "bundled", Spec: rules.Spec(), Levels: true})
	require.Equal(t, "bundled,sims=64", o.Analyst)
	require.Equal(t, host.Player{"net:a,sims=200", "a, full strength (200 simulations)"}, o.Players[0])
	names := ""
	for _, p := range o.Players {
		names += p.Name + " "
	}
	require.NotContains(t, names, "net:b")
	require.Regexp(t, `bundled,sims=200 bundled,sims=800 bundled,sims=\S+temperature=.* bundled,sims=1 mcts:1000 alphabeta:2 random $`, names)
	require.Equal(t, "mcts:200", host.NewOffer(other, "").Analyst)
}
