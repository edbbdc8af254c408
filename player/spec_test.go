package player

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/mcts"
)

// TestParse compares descriptions with the canonical description after parsing.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"random": "", "greedy": "", "alphabeta:4": "", "stubborn:2": "", "mcts:400": "",
		"alphabeta:depth=4":                "alphabeta:4",
		"bundled":                          "net:bundled,sims=64",
		"bundled,level=3":                  "net:bundled,level=3",
		"bundled:coerceo:price=1,sims=3":   "net:bundled:coerceo:price=1,sims=3",
		"net:a,root=puct,sims=3":           "net:a,sims=3,root=puct",
		"net:x,sims=1,temperature=2.50":    "net:x,sims=1,temperature=2.5",
		"net:a,b,sims=2":                   "", // commas in paths
		"net:mnk-m=15,n=15,k=5,sims=2":     "",
		"net:runs/x,sims=8/":               "net:runs/x,sims=8/,sims=64",
		"net:runs/ü \u202e%s\"'*,sims=2":   "",
		"ugi:x --y,z":                      "ugi:x --y,z,nodes=64",
		"ugi:x,time=1s,timeout=5s":         "",
		"ugi:x,option.A b=/c,nodes=3":      "ugi:x,nodes=3,option.A b=/c",
		"ugi:x,level=1":                    "ugi:x,level=1,nodes=64",
		"ugi:'my engine' -v,option.Level=": "ugi:'my engine' -v,nodes=64,option.Level=",
	} {
		s, err := Parse(text, 64)
		require.NoError(t, err)
		if want == "" {
			want = text
		}
		require.Equal(t, want, s.String())
		again, err := Parse(want, 1)
		require.NoError(t, err)
		require.Equal(t, s, again)
	}
	s, err := Defaults{Simulations: 64, Path: true}.Parse("runs/a,b,sims=3")
	require.NoError(t, err)
	require.Equal(t, "runs/a,b", s.Network)
	require.Equal(t, "runs/a,b,sims=3", s.Label())
	s, err = Defaults{Simulations: 64, Path: true}.Parse("mcts:30")
	require.NoError(t, err)
	require.Equal(t, MCTS, s.Kind)
	words, err := Spec{Command: `'my engine'  "-a b" c`}.Words()
	require.NoError(t, err)
	require.Equal(t, []string{"my engine", "-a b", "c"}, words)
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"random:3": `"3"`, "mcts": "simulations is required", "mcts:0": `sims "0"`, "mcts:+": `sims "+"`, "alphabeta:65": `depth "65"`,
		"net": "no run folder", "net:,sims=8": "no run folder", "net:a,sims=x": `sims "x"`, "bundled,sim=8": "did you mean sims?", "bundled,sims=8,temprature=2": "did you mean temperature?",
		"net:a,root=x": "root", "net:x,temperature=0": `temperature "0"`, "net:x,temperature=NaN": `temperature "NaN"`,
		"bundled,level=easy": `level "easy"`, "bundled,level=0": `level "0"`, "bundled,sims=4,level=2": "sims=4", "bundled,level=2,temperature=1": "temperature=1",
		"ugi:": "no command", "ugi:'x": "open quotation mark", "ugi:x,nodes=1,time=1s": "nodes=1 and time=1s", "ugi:x,nodes=0": `nodes "0"`, "ugi:x,timeout=1": `timeout "1"`,
	} {
		_, err := Parse(text, 64)
		require.ErrorContains(t, err, want, text)
		require.NotErrorIs(t, err, ErrUnknown)
	}
	for _, text := range []string{"", "foo", "runs/a", "bundledx", ":"} {
		_, err := Parse(text, 64)
		require.ErrorIs(t, err, ErrUnknown, text)
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{"random": true, "mcts:3": true, "bundled": true, "net:x": true, "ugi:x": true, "sims=3": false, "k=5": false, "bundledx": false, "mcts": false} {
		require.Equal(t, want, Begins(text), text)
	}
}

// TestLevel checks that the game's budget and temperature replace a level.
func TestLevel(t *testing.T) {
	s, err := Parse("bundled,level=1", 64)
	require.NoError(t, err)
	f, err := s.Factory(newGame(t, "connect4"), Resources{Open: uniform})
	require.NoError(t, err)
	one, err := LevelOf("connect4", 1)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("net:bundled,sims=%d,temperature=%v", one.Simulations, one.Temperature), f.String())
	s.Level = 99
	_, err = s.Factory(newGame(t, "connect4"), Resources{Open: uniform})
	require.ErrorContains(t, err, "level 99")
}

// TestRemote: players that other machines can make are the same there, and others are
// refused.
func TestRemote(t *testing.T) {
	game := ticTacToe(t)
	open := func(Spec) (Network, error) {
		n, err := uniform(Spec{})
		n.SHA256, n.Write = strings.Repeat("0", 64), func(io.Writer) error { return nil }
		return n, err
	}
	for _, text := range []string{"random", "greedy", "alphabeta:3", "stubborn:2", "mcts:40", "net:runs/a,b,macs=8M,temperature=0.5,root=puct"} {
		s, err := Parse(text, 64)
		require.NoError(t, err)
		f, err := s.Factory(game, Resources{Open: open})
		require.NoError(t, err)
		remote, weights, err := f.Remote()
		require.NoError(t, err)
		require.Equal(t, s.Kind == Net, weights != nil)
		require.Empty(t, remote.Network)
		data, err := json.Marshal(remote)
		require.NoError(t, err)
		var read Spec
		require.NoError(t, json.Unmarshal(data, &read))
		require.Equal(t, remote, read)
		there, err := read.Factory(game, Resources{Open: func(s Spec) (Network, error) {
			return Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, SHA256: s.Weights, TrainedFor: s.TrainedFor}, nil
		}})
		require.NoError(t, err)
		require.Equal(t, read, there.Spec)
		require.Equal(t, f.Search, there.Search)
	}
	clock := tickingClock()
	for _, text := range []string{"mcts:time=1s", "alphabeta:cpu=1s", "net:a,time=1s", "net:a", "ugi:x"} {
		s, err := Parse(text, 64)
		require.NoError(t, err)
		f, err := s.Factory(game, Resources{Clock: clock, Open: uniform, Program: func(env.Game, Spec) (Player, error) { return nil, nil }})
		require.NoError(t, err)
		_, _, err = f.Remote()
		require.ErrorContains(t, err, text)
	}
	_, _, err := Custom("mine", nil).Remote()
	require.ErrorContains(t, err, "mine")
	for _, s := range []Spec{{}, {Kind: "x"}, {Kind: MCTS}, {Kind: Net, Weights: "0"}, {Kind: AlphaBeta, Budget: Budget{Depth: 65}}, {Kind: MCTS, Budget: Budget{Simulations: -1}}, {Kind: Random, Budget: Budget{Simulations: 1}, Alias: "x"}} {
		if s.Kind != Random {
			require.Error(t, s.Validate(), "%+v", s)
		}
	}
}

func ExampleParse() {
	s, err := Parse("net:runs/a,sims=200,temperature=0.5", 64)
	fmt.Println(s.Network, s.Budget.Simulations, s.Temperature, err)
	fmt.Println(s)
	// Output:
	// runs/a 200 0.5 <nil>
	// net:runs/a,sims=200,temperature=0.5
}
