package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/player/clock"
)

// Players take a time control among their settings, and print it in one form.
func TestClockSettings(t *testing.T) {
	for text, want := range map[string]string{
		"net:a,tc=10+0.1":                       "net:a,tc=10+0.1",
		"net:a,tc=10+0.10,sims=8,timemargin=50": "net:a,sims=8,tc=10+0.1,timemargin=50",
		"bundled,st=1,root=puct":                "net:bundled,st=1,root=puct",
		"mcts:tc=40/60":                         "mcts:tc=40/60",
		"net:runs/a,tc=40/60,sims=8":            "net:runs/a,sims=8,tc=40/60",
		"bundled,tc=40/60+1":                    "net:bundled,tc=40/60+1",
		"mcts:8,tc=1:00+1":                      "mcts:8,tc=60+1",
		"alphabeta:st=0.5":                      "alphabeta:st=0.5",
		"stubborn:depth=4,tc=10":                "stubborn:4,tc=10",
		"random:tc=10":                          "random:tc=10",
		"greedy":                                "greedy",
		"ugi:a b,tc=10+0.1":                     "ugi:a b,tc=10+0.1",
		"ugi:a,nodes=8,tc=10,option.x=1":        "ugi:a,nodes=8,tc=10,option.x=1",
		"gtp:a,tc=10":                           "gtp:a,tc=10",
	} {
		s, err := Parse(text, 64)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String())
		back, err := Parse(want, 64)
		require.NoError(t, err, text)
		require.Equal(t, s, back)
		require.Equal(t, text != "greedy", s.Timed())
		require.Equal(t, text != "greedy", s.Local() != nil)
	}
	for text, want := range map[string]string{
		"net:a,tc=x":                "10+0.1",
		"net:a,st=1,tc=1":           "both set the time",
		"net:a,tc=1,time=1s":        "time=1s and tc=1 both",
		"net:a,tc=1,root=gumbel":    "tc=1 cannot be combined with root=gumbel",
		"mcts:tc=1,cpu=1s":          "cpu=1s and tc=1 both",
		"mcts:timemargin=1,8":       "requires tc or st",
		"random:8":                  `unexpected "8"`,
		"alphabeta":                 "depth is required",
		"alphabeta:3,4,tc=1":        "3 and 4 both set the budget",
		"alphabeta:3,depth=4":       "3 and depth=4 both set the budget",
		"mcts:8,root=puct":          `"root=puct" is not`,
		"gtp:a,tc=1,time=1s":        "both limit the time",
		"ugi:a,nodes=3,time=1,st=2": "both set the budget",
	} {
		_, err := Parse(text, 64)
		require.ErrorContains(t, err, want, text)
	}
	s, err := Parse("mcts:tc=1", 64)
	require.NoError(t, err)
	_, err = s.Factory(ticTacToe(t), Resources{})
	require.ErrorContains(t, err, "tc=1: clocks cannot be used here")
}

// A default clock replaces the default simulations, and leaves other limits.
func TestDefaultClock(t *testing.T) {
	c, err := clock.Parse("10+0.1")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"net:a":          "net:a,tc=10+0.1",
		"net:a,sims=8":   "net:a,sims=8,tc=10+0.1",
		"net:a,st=1":     "net:a,st=1",
		"net:a,time=1s":  "net:a,time=1s",
		"net:a,level=1":  "net:a,level=1,tc=10+0.1",
		"alphabeta":      "alphabeta:tc=10+0.1",
		"alphabeta:4":    "alphabeta:4,tc=10+0.1",
		"mcts":           "mcts:tc=10+0.1",
		"random":         "random:tc=10+0.1",
		"ugi:a":          "ugi:a,tc=10+0.1",
		"ugi:a,time=1s":  "ugi:a,time=1s",
		"gtp:a,st=2":     "gtp:a,st=2",
		"runs/a,macs=9M": "net:runs/a,macs=9M,tc=10+0.1",
	} {
		s, err := Defaults{Simulations: 64, Clock: c, Path: true}.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String())
	}
}

// Every built-in player that searches keeps to its clock, also in turns of several actions.
func TestPlayersKeepTheirClocks(t *testing.T) {
	for _, name := range []string{"mnk", "connect4", "pacru:players=3"} {
		game := newGame(t, name)
		for _, text := range []string{"mcts:tc=1+0.01", "net:a,tc=1+0.01", "alphabeta:tc=1+0.01", "stubborn:tc=1", "mcts:st=0.1", "greedy:tc=1"} {
			if _, scored := game.New().(env.Scorer); !scored && (text[0] == 's' || text[0] == 'g') {
				continue
			}
			now := ticking(2 * time.Millisecond)
			p, err := made(game, Clock{Now: now}, text)
			require.NoError(t, err)
			s, err := Parse(text, 1)
			require.NoError(t, err)
			g := clock.NewGame(now, []clock.Control{s.Clock})
			state, history := game.New(), []env.Action(nil)
			for begins := true; len(history) < 24; {
				if _, over := state.Result(); over {
					break
				}
				g.Start(0)
				if p, ok := p.(Clocked); ok && begins {
					p.SetClocks(g, 24-len(history))
				}
				a, err := p.Choose(t.Context(), state, history, env.NewRand(1))
				require.NoError(t, err)
				require.NoError(t, g.Stop(), "%s in %s, move %d", text, name, len(history))
				state.Play(a)
				history = append(history, a)
				if begins = !env.MidTurn(state); begins {
					g.EndTurn()
				}
			}
		}
	}
}

// A forced action uses none of the turn's time.
func TestForcedActionsUseNoTime(t *testing.T) {
	game := newGame(t, "othello:size=10")
	forced := func(seed uint64) (s env.State, plies int) {
		rng := env.NewRand(seed)
		s = game.New()
		for legal := s.Legal(nil); len(legal) > 1; legal = s.Legal(nil) {
			s.Play(legal[rng.IntN(len(legal))])
			plies++
		}
		return s, plies
	}
	s, plies := forced(0)
	for seed := uint64(1); plies > 50; seed++ {
		s, plies = forced(seed)
	}
	for _, text := range []string{"mcts:tc=60", "alphabeta:tc=60"} {
		now := ticking(2 * time.Millisecond)
		p, err := made(game, Clock{Now: now}, text)
		require.NoError(t, err)
		g := clock.NewGame(now, []clock.Control{{Main: time.Minute}})
		g.Start(0)
		p.(Clocked).SetClocks(g, 0)
		a, err := p.Choose(t.Context(), s, nil, env.NewRand(1))
		require.NoError(t, err)
		began := now()
		_, err = p.Choose(t.Context(), env.After(game, s, a), nil, env.NewRand(1))
		require.NoError(t, err)
		require.Greater(t, now().Sub(began), time.Second, text)
	}
}
