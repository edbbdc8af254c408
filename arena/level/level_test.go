package level_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/arena/level"
)

func TestFind(t *testing.T) {
	own, rated, err := level.Find("pacru")
	require.NoError(t, err)
	require.True(t, rated)
	require.Equal(t, "pacru", own.Game)
	variant, rated, err := level.Find("coerceo:price=1")
	require.NoError(t, err)
	require.False(t, rated)
	require.Equal(t, "coerceo", variant.Game)
	other, rated, err := level.Find("mnk:m=15,n=15,k=5")
	require.NoError(t, err)
	require.False(t, rated)
	require.NotEmpty(t, other.Levels)
}

func TestExpand(t *testing.T) {
	one, err := level.Get("connect4", 1)
	require.NoError(t, err)
	for player, want := range map[string]string{
		"random":                          "random",
		"bundled,sims=3":                  "bundled,sims=3",
		"bundled,level=1":                 "bundled," + one.Settings(),
		"net:runs/a,level=1,root=puct":    "net:runs/a," + one.Settings() + ",root=puct",
		"ugi:x --y,option.Level=1":        "ugi:x --y,option.Level=1",
		"ugi:x,level=1":                   "ugi:x,level=1",
		"level=1":                         "level=1",
		"bundled:coerceo:price=1,level=1": "bundled:coerceo:price=1," + one.Settings(),
	} {
		got, err := level.Expand("connect4", player)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	scale, _, err := level.Find("connect4")
	require.NoError(t, err)
	last := len(scale.Levels)
	for player, want := range map[string]string{
		"bundled,level=0":               fmt.Sprintf("bundled,level=0: level 0; connect4 has levels 1 to %d", last),
		"bundled,level=99":              fmt.Sprintf("bundled,level=99: level 99; connect4 has levels 1 to %d", last),
		"bundled,level=easy":            `bundled,level=easy: level "easy"; want a number`,
		"bundled,sims=4,level=2":        "bundled,sims=4,level=2: level=2 and sims=4; a level is both simulations and a temperature",
		"bundled,level=2,simulations=4": "bundled,level=2,simulations=4: level=2 and simulations=4; a level is both simulations and a temperature",
		"bundled,level=2,temperature=1": "bundled,level=2,temperature=1: level=2 and temperature=1; a level is both simulations and a temperature",
	} {
		_, err := level.Expand("connect4", player)
		require.EqualError(t, err, want)
	}
}

func ExampleExpand() {
	player, err := level.Expand("connect4", "bundled,level=99")
	fmt.Println(player, err != nil)
	player, _ = level.Expand("connect4", "mcts:200")
	fmt.Println(player)
	// Output:
	// true
	// mcts:200
}
