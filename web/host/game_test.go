package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/games"
	"tiro/player"
)

// TestLosses: an action's loss is the drop in its player's expectation, and zero if the analyst
// would have played it. The loss is unknown until the analyst has evaluated both positions.
func TestLosses(t *testing.T) {
	rules, err := games.New("mnk")
	require.NoError(t, err)
	g, err := newGame("game0001", &Offer{Game: "mnk"}, rules, []string{Human, Human}, (*Offer).has)
	require.NoError(t, err)
	playAll(t, g, "b2", "a1", "a2", "c3")
	expect := func(ply int, first float32, best string) {
		a, err := env.ParseAction(g.States[ply], best)
		require.NoError(t, err)
		v := env.Value{first, -first}
		g.opinions[ply] = newOpinion(&player.Analysis{Lines: []player.Line{{Actions: []env.Action{a}, Value: v}}})
	}
	expect(0, 0.5, "a1") // b2 is played and drops from 75% to 60%
	expect(1, 0.2, "a1") // a1 is played, the analyst's choice
	expect(2, 0.9, "c3") // a2 is played, and the expectation rises
	expect(3, 1, "a3")   // c3 is played, and the position after it has no evaluation
	losses := g.view().Losses
	require.Len(t, losses, 4)
	require.InDelta(t, 0.15, *losses[0], 1e-6)
	require.Zero(t, *losses[1])
	require.Zero(t, *losses[2])
	require.Nil(t, losses[3])
}

func playAll(t *testing.T, g *game, moves ...string) {
	for _, move := range moves {
		require.NoError(t, g.move(move))
	}
}

// TestDrawnMoves: a player draws the same moves in the same game, but not in every game.
func TestDrawnMoves(t *testing.T) {
	rules, err := games.New("mnk")
	require.NoError(t, err)
	h, err := New(Options{
		Offers: []Offer{{Game: "mnk"}}, Find: games.New, MaxGames: 1, Searches: 1,
		Player: func(game env.Game, name string) (player.Factory, error) { return player.Plain(game, name) },
	})
	require.NoError(t, err)
	t.Cleanup(h.Close)
	played := func(id string) []env.Action {
		g, err := newGame(id, &Offer{Game: "mnk"}, rules, []string{"random", "random"}, func(*Offer, string) bool { return true })
		require.NoError(t, err)
		for !g.Over() {
			a, _, err := h.choose(t.Context(), g, "random", g.State(), g.History)
			require.NoError(t, err)
			g.add(a)
		}
		return g.History
	}
	require.Equal(t, played("game0001"), played("game0001"))
	require.NotEqual(t, played("game0001"), played("game0002"))
}

// shelf is a store for use from one goroutine.
type shelf map[string][]byte

func (s shelf) Save(id string, data []byte) error { s[id] = data; return nil }

func (s shelf) Load(id string) ([]byte, error) {
	if data, ok := s[id]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// fullDisk is a store that refuses to save while it is full.
type fullDisk struct {
	shelf
	full bool
}

func (s *fullDisk) Save(id string, data []byte) error {
	if s.full {
		return errors.New("no space left")
	}
	return s.shelf.Save(id, data)
}

// TestUnsaved: a game that cannot be saved continues, also for the program's players. It stays
// in memory and reports the failure until it is saved.
func TestUnsaved(t *testing.T) {
	store, begun := &fullDisk{shelf: shelf{}}, 0
	h, err := New(Options{
		Offers: []Offer{{Game: "mnk", Players: []Player{{Name: "random"}}}}, Find: games.New, Store: store, MaxGames: 1, Searches: 1,
		NewID:  func() string { begun++; return fmt.Sprintf("game%04d", begun) },
		Player: func(env.Game, string) (player.Factory, error) { return player.Must(nil, "random"), nil },
	})
	require.NoError(t, err)
	defer h.Close()
	ask := func(path string, body *Body) View {
		q := Request{Path: path}
		if body != nil {
			q.Post = true
			q.Body, err = json.Marshal(body)
			require.NoError(t, err)
		}
		answer, err := h.Answer(t.Context(), q)
		require.NoError(t, err)
		h.running.Wait()
		return answer.(View)
	}
	const path = "games/game0001"
	first := ask("games", &Body{Game: "mnk", Seats: []string{Human, "random"}})
	store.full = true
	require.Equal(t, "the game is not saved: no space left", ask(path+"/play", &Body{Move: first.Legal[0]}).Trouble)
	answered := ask(path, nil)
	require.Equal(t, 2, answered.Ply, "its opponent has moved")
	require.Equal(t, "the game is not saved: no space left", answered.Trouble)

	_, err = h.begin(&Body{Game: "mnk", Seats: []string{Human, "random"}})
	require.ErrorIs(t, err, ErrFull, "the unsaved game must stay in memory")
	require.Equal(t, 2, ask(path, nil).Ply)

	store.full = false
	require.Empty(t, ask(path+"/play", &Body{Ply: 2, Move: answered.Legal[0]}).Trouble)
	require.Contains(t, string(store.shelf["game0001"]), answered.Legal[0])
}

// TestOpinions: the evaluation of a player that draws its moves is not the analyst's, and a failed
// analysis is no evaluation.
func TestOpinions(t *testing.T) {
	for _, test := range []struct {
		temperature float64
		analyst     string
		known       bool
	}{{0, "", true}, {1, "", false}, {1, "broken", false}, {1, "whole", true}} {
		h, err := New(Options{
			Offers: []Offer{{Game: "mnk", Analyst: test.analyst, Players: []Player{{Name: "drawn"}}}}, Find: games.New, Store: shelf{}, MaxGames: 1, Searches: 1,
			NewID: func() string { return "game0001" },
			Player: func(game env.Game, name string) (player.Factory, error) {
				if name == "broken" {
					return player.Factory{}, errors.New("no weights")
				}
				f, err := player.Plain(game, "mcts:20")
				if name == "drawn" {
					f.Temperature = test.temperature
				}
				return f, err
			},
		})
		require.NoError(t, err)
		_, err = h.begin(&Body{Game: "mnk", Seats: []string{"drawn", Human}})
		require.NoError(t, err)
		h.running.Wait()
		g, err := h.find("game0001")
		require.NoError(t, err)
		require.Len(t, g.History, 1)
		require.Equal(t, test.known, g.view().Values[0] != nil, "%+v", test)
		h.Close()
	}
}

// TestLateMove: a player's move that comes too late, because the user has switched to a line that
// continues from the position, leaves the evaluation of the position unchanged.
func TestLateMove(t *testing.T) {
	var thinking atomic.Int64
	think := make(chan struct{})
	h, err := New(Options{
		Offers: []Offer{{Game: "mnk", Players: []Player{{Name: "slow"}}}}, Find: games.New, Store: shelf{}, MaxGames: 1, Searches: 1,
		NewID: func() string { return "game0001" },
		Player: func(env.Game, string) (player.Factory, error) {
			return player.Factory{Spec: player.Spec{Kind: "slow"}, New: func() (player.Player, error) { return slow{&thinking, think}, nil }}, nil
		},
	})
	require.NoError(t, err)
	defer h.Close()
	_, err = h.begin(&Body{Game: "mnk", Seats: []string{"slow", Human}})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return thinking.Load() == 1 }, 5*time.Minute, time.Millisecond)
	g, err := h.lock("game0001")
	require.NoError(t, err)
	g.opinions[0], g.lines = &opinion{known: true}, [][]env.Action{{0, 1, 2}}
	require.NoError(t, g.change(0))
	g.mu.Unlock()
	close(think)
	h.running.Wait()
	require.True(t, g.opinions[0].known)
}

// TestForcedMoves: the analyst searches forced moves, which players do not.
func TestForcedMoves(t *testing.T) {
	for _, analyst := range []string{"", "mcts:20"} {
		h, err := New(Options{
			Offers: []Offer{{Game: "tree", Analyst: analyst, Players: []Player{{Name: "mcts:100"}}}},
			Find:   func(string) (env.Game, error) { return envtest.MustTree(2, "((AB))"), nil },
			Player: player.Plain,
			Store:  shelf{}, MaxGames: 1, Searches: 1,
			NewID: func() string { return "game0001" },
		})
		require.NoError(t, err)
		_, err = h.begin(&Body{Game: "tree", Seats: []string{"mcts:100", Human}})
		require.NoError(t, err)
		h.running.Wait()
		g, err := h.find("game0001")
		require.NoError(t, err)
		if values := g.view().Values; analyst == "" {
			require.Nil(t, values[0])
		} else {
			require.Equal(t, []float64{0, 1}, values[0], "the second player wins")
		}
		h.Close()
	}
}

// TestEvicted: the lock of a game detects that the game was evicted from memory and loaded
// again, and locks the current copy.
func TestEvicted(t *testing.T) {
	ids := []string{"firstgame", "secondgame"}
	h, err := New(Options{
		Offers: []Offer{{Game: "mnk"}}, Find: games.New, Store: shelf{}, MaxGames: 1, Searches: 1,
		NewID: func() string { id := ids[0]; ids = ids[1:]; return id },
	})
	require.NoError(t, err)
	defer h.Close()
	for range 2 {
		_, err := h.begin(&Body{Game: "mnk", Seats: []string{Human, Human}})
		require.NoError(t, err)
		h.running.Wait() // a game with a search stays in memory, even if the search has nothing to do
	}
	found, err := h.find("firstgame")
	require.NoError(t, err)
	require.False(t, found.evicted)
	_, err = h.find("secondgame")
	require.NoError(t, err)
	require.True(t, found.evicted)
	locked, err := h.lock("firstgame")
	require.NoError(t, err)
	defer locked.mu.Unlock()
	require.NotSame(t, found, locked)
	require.False(t, locked.evicted)
}

// TestGamesInMemory: any number of games can be begun with players who never finish thinking.
// The limits on games in memory and on searches hold, and evicted games continue when they are
// requested.
func TestGamesInMemory(t *testing.T) {
	var begun, thinking atomic.Int64
	think := make(chan struct{})
	h, err := New(Options{
		Offers: []Offer{{Game: "mnk", Players: []Player{{Name: "slow"}}}}, Find: games.New, Store: &safe{shelf: shelf{}}, MaxGames: 3, Searches: 2,
		NewID: func() string { return fmt.Sprintf("game%04d", begun.Add(1)) },
		Player: func(env.Game, string) (player.Factory, error) {
			return player.Factory{Spec: player.Spec{Kind: "slow"}, New: func() (player.Player, error) { return slow{&thinking, think}, nil }}, nil
		},
	})
	require.NoError(t, err)
	defer h.Close()
	before := runtime.NumGoroutine()
	for range 200 {
		_, err := h.begin(&Body{Game: "mnk", Seats: []string{"slow", Human}})
		require.NoError(t, err)
		h.mu.Lock()
		require.LessOrEqual(t, len(h.games), 3)
		require.Len(t, h.used, len(h.games))
		h.mu.Unlock()
		require.LessOrEqual(t, thinking.Load(), int64(2))
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+5 }, 5*time.Minute, time.Millisecond)
	close(think)
	first := func() View {
		answer, err := h.Answer(t.Context(), Request{Path: "games/game0001/version"})
		require.NoError(t, err)
		require.NotNil(t, answer)
		answer, err = h.Answer(t.Context(), Request{Path: "games/game0001"})
		require.NoError(t, err)
		return answer.(View)
	}
	require.Eventually(t, func() bool { return first().Ply == 1 }, 5*time.Minute, time.Millisecond)
}

// slow is a player that thinks until the channel told is closed.
type slow struct {
	thinking *atomic.Int64
	told     <-chan struct{}
}

func (s slow) Choose(ctx context.Context, state env.State, _ []env.Action, _ *rand.Rand) (env.Action, error) {
	s.thinking.Add(1)
	defer s.thinking.Add(-1)
	select {
	case <-s.told:
		return state.Legal(nil)[0], nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

func (slow) Name() string { return "slow" }

// safe is a shelf for use from several goroutines.
type safe struct {
	mu sync.Mutex
	shelf
}

func (s *safe) Save(id string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shelf.Save(id, data)
}

func (s *safe) Load(id string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shelf.Load(id)
}

// TestVariationsAreBounded: a game keeps only its newest variations.
func TestVariationsAreBounded(t *testing.T) {
	rules, err := games.New("connect4")
	require.NoError(t, err)
	g, err := newGame("game0001", &Offer{Game: "connect4"}, rules, []string{Human, Human}, (*Offer).has)
	require.NoError(t, err)
	for i := range 7 * 7 {
		playAll(t, g, strconv.Itoa(1+i/7), strconv.Itoa(1+i%7))
		require.NoError(t, g.back(0))
		require.Len(t, g.lines, min(i+1, maxLines))
	}
	require.Equal(t, "7", g.States[0].ActionString(g.lines[maxLines-1][0]))
	g.lines = [][]env.Action{make([]env.Action, maxActions)}
	playAll(t, g, "2")
	require.NoError(t, g.back(0))
	require.Equal(t, 1, g.kept())
}
