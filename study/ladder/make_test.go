package ladder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena"
	"tiro/disk"
	"tiro/env"
	"tiro/mcts"
	"tiro/net"
	"tiro/net/kernel"
)

// making returns the making of a ladder that takes a moment, with a network.
func making(t testing.TB) Making {
	game := theGame(t, "mnk")
	weights := net.NewWeights(game.Spec(), net.Config{Channels: 4, Blocks: 1, OutcomeChannels: 2}, env.NewRand(1))
	c := mcts.Default()
	c.RootNoise, c.Simulations = false, 4
	p, err := NewNetworkPlayer("new,sims=4", weights, c, 0)
	require.NoError(t, err)
	return Making{
		Game: game, Dir: filepath.Join(t.TempDir(), "ladder"), Players: []Player{{Name: "random"}, {Name: "greedy"}, p},
		Networks: []NetworkWeights{{Network{"new", p.Weights, "tests"}, weights}},
		Anchor:   "greedy", Games: 24, Opening: 2, Seed: 1, Workers: 2, Backend: kernel.Best(), Tiro: "test",
	}
}

// file returns the ladder.json of a making.
func (o *Making) file(t testing.TB) string {
	data, err := os.ReadFile(filepath.Join(o.Dir, File))
	require.NoError(t, err)
	return string(data)
}

// TestMake: neighbours play as many games as asked for and those two apart half of
// them; a stop costs nothing, more players and more games only what is missing, and
// fewer players none.
func TestMake(t *testing.T) {
	o := making(t)
	l, err := Make(t.Context(), o)
	require.NoError(t, err)
	games := func(l *Ladder) string {
		var all []string
		for _, m := range l.Matches {
			all = append(all, fmt.Sprintf("%s %s %d", m.A, m.B, m.Games.count()))
		}
		return strings.Join(all, ", ")
	}
	require.Equal(t, "random greedy 24, random new,sims=4 12, greedy new,sims=4 24", games(l))
	_, err = Open(disk.OS{}, o.Dir, o.Game)
	require.NoError(t, err)
	want := o.file(t)

	stopped := o
	stopped.Dir = t.TempDir()
	for {
		ctx, cancel := context.WithCancel(t.Context())
		stopped.Progress = func(u Upcoming) (func(arena.Progress), func()) {
			require.Equal(t, 60, u.Most)
			played := 0
			return func(arena.Progress) {
				if played++; played == 5 && u.Done%24 == 12 {
					cancel()
				}
			}, func() {}
		}
		_, err := Make(ctx, stopped)
		cancel()
		stopped.Games = o.Games
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		stopped.Progress = nil
		_, err = Make(t.Context(), stopped)
		require.NoError(t, err)
	}
	require.Equal(t, want, stopped.file(t))

	o.Players = append(o.Players, Player{Name: "mcts:20"})
	o.Tiro = "a later one"
	l, err = Make(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, "test, a later one", l.Tiro)
	require.Equal(t, "random greedy 24, random new,sims=4 12, greedy new,sims=4 24, greedy mcts:20 12, new,sims=4 mcts:20 24", games(l))
	o.Players, o.Tiro = o.Players[:3], "a third one"
	_, err = Make(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(want, `"tiro": "test"`, `"tiro": "test, a later one"`, 1), o.file(t), "nobody has played")
}

func TestMakeRefuses(t *testing.T) {
	o := making(t)
	_, err := Make(t.Context(), o)
	require.NoError(t, err)
	for _, test := range []struct {
		name   string
		change func(o *Making)
		want   string
	}{
		{"another opening", func(o *Making) { o.Opening = 3 }, "was played under other conditions, "},
		{"another seed", func(o *Making) { o.Seed = 2 }, "; move it elsewhere, or name another folder"},
		{"another search of the name", func(o *Making) { o.Players[2].Search = []string{"root=puct", "simulations=4", "parallel_leaves=1"} }, "has another new,sims=4"},
		{"another network of the name", func(o *Making) { o.Networks[0].SHA256 = strings.Repeat("a", 64) }, "players[2].weights is"},
		{"no anchor", func(o *Making) { o.Anchor = "x" }, `ladder: make: anchor is "x"; want the name of a player`},
		{"one player", func(o *Making) { o.Players = o.Players[1:2] }, `players is "1"; want 2 to 64`},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := o
			changed.Players = append([]Player{}, o.Players...)
			changed.Networks = append([]NetworkWeights{}, o.Networks...)
			test.change(&changed)
			_, err := Make(t.Context(), changed)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestFormats: docs/FORMATS.md has the headers of this package's files and names all
// of their fields.
func TestFormats(t *testing.T) {
	data, err := os.ReadFile("../../docs/FORMATS.md")
	require.NoError(t, err)
	text := string(data)
	require.Contains(t, text, fmt.Sprintf("| `ladder.json` of `tiro ladder` | `%s` | %d |\n", fileHeader.What, fileHeader.Format))
	require.Contains(t, text, fmt.Sprintf("| `ratings.json` of `tiro rate` | `%s` | %d |\n", logHeader.What, logHeader.Format))
	require.Contains(t, text, fmt.Sprintf("| `tiro rate --json` | `%s` | %d |\n", reportHeader.What, reportHeader.Format))
	_, part, ok := strings.Cut(text, "<!-- ladder: begin -->")
	require.True(t, ok)
	part, _, ok = strings.Cut(part, "<!-- ladder: end -->")
	require.True(t, ok)
	for _, of := range []reflect.Type{
		reflect.TypeFor[Ladder](), reflect.TypeFor[Network](), reflect.TypeFor[Player](), reflect.TypeFor[Match](),
		reflect.TypeFor[logContent](), reflect.TypeFor[pool](), reflect.TypeFor[logged](), reflect.TypeFor[Report](), reflect.TypeFor[Standing](), reflect.TypeFor[Checkpoint](),
	} {
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "format" && name != "what" {
				require.Contains(t, part, "`"+name+"`")
			}
		}
	}
}
