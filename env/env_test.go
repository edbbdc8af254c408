package env_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tiro/env"
	"tiro/env/envtest"
	"tiro/env/mnk"
)

func TestValueFromAndBack(t *testing.T) {
	v := env.Value{0.5, -1, 0.25, 0.25}
	require.Equal(t, env.View{0.25, 0.25, 0.5, -1}, v.From(2, 4))

	three := env.Value{1, -0.25, -0.75}
	require.Equal(t, env.View{-0.25, -0.75, 1}, three.From(1, 3))
	require.Equal(t, three, env.View{-0.75, 1, -0.25}.BySeat(2, 3))

	rapid.Check(t, func(t *rapid.T) {
		players := rapid.IntRange(2, env.MaxPlayers).Draw(t, "players")
		viewer := env.Player(rapid.IntRange(0, players-1).Draw(t, "viewer"))
		var v env.Value
		for i := range players {
			v[i] = rapid.Float32Range(-1, 1).Draw(t, "payoff")
		}
		w := v.From(viewer, players)
		require.Equal(t, v[viewer], w[0], "the viewer comes first")
		require.Equal(t, v, w.BySeat(viewer, players))
	})
}

func TestWinFor(t *testing.T) {
	require.Equal(t, env.Value{1, -1}, env.WinFor(0, 2))
	require.Equal(t, env.Value{-0.5, -0.5, 1}, env.WinFor(2, 3))
	third := float32(1) / 3
	require.Equal(t, env.Value{-third, 1, -third, -third}, env.WinFor(1, 4))
}

func TestSpecSizes(t *testing.T) {
	s := env.Spec{Players: 3, Planes: 5, Height: 4, Width: 7, PolicyPlanes: 2}
	require.Equal(t, 28, s.Cells())
	require.Equal(t, 56, s.Actions())
	require.Equal(t, 140, s.Inputs())
	require.Equal(t, 4, s.Outcomes())
}

func TestSpecCheckGames(t *testing.T) {
	s := env.Spec{Name: "chess:size=9", Version: 4, RulesVersion: 2}
	require.NoError(t, s.CheckGames(s.Name, 2))
	require.NoError(t, s.CheckGames(s.Name, 4))
	require.EqualError(t, s.CheckGames("chess", 4), `game is "chess", not "chess:size=9"`)
	require.EqualError(t, s.CheckGames(s.Name, 1), "version is 1, but this program reads games of version 2 to 4 of chess:size=9")
	require.ErrorContains(t, s.CheckGames(s.Name, 5), "version is 5")
	s.RulesVersion = 0
	require.NoError(t, s.CheckGames(s.Name, 4))
	require.EqualError(t, s.CheckGames(s.Name, 3), "version is 3, but this program reads games of version 4 of chess:size=9")
}

// TestRandIsStable pins the random streams. A run's games must not depend on the version of
// the program, and changed streams would change every run.
func TestRandIsStable(t *testing.T) {
	for _, c := range []struct {
		keys []uint64
		want []uint64
	}{
		{nil, []uint64{0x8a75eb9472b30058, 0xd619b1b21e828105}},
		{[]uint64{0}, []uint64{0xf7bedfd6c85ac3dc, 0x43a3f1ab89e7148c}},
		{[]uint64{1, 2, 3}, []uint64{0xafa6a13f44ef1221, 0x37d66d871ae7d981}},
	} {
		rng := env.NewRand(c.keys...)
		require.Equal(t, c.want, []uint64{rng.Uint64(), rng.Uint64()}, "keys %d", c.keys)
	}
}

func TestRandStreamsDiffer(t *testing.T) {
	first := map[uint64][]uint64{}
	for _, keys := range [][]uint64{
		{}, {0}, {0, 0}, {0, 0, 0}, {1}, {1, 0}, {0, 1}, {1, 2}, {2, 1}, {1, 1}, {1 << 63}, {1<<64 - 1},
	} {
		x := env.NewRand(keys...).Uint64()
		require.NotContains(t, first, x, "keys %d and %d", keys, first[x])
		first[x] = keys
	}
	for key := range uint64(1000) {
		x := env.NewRand(7, key, 7).Uint64()
		require.NotContains(t, first, x)
		first[x] = []uint64{7, key, 7}
	}
}

func TestRandIsEven(t *testing.T) {
	// The first draws from neighbouring keys, as games use them: each of ten buckets has
	// 1000 expected draws, with a standard deviation of 30.
	var buckets [10]int
	for key := range uint64(10_000) {
		buckets[env.NewRand(1, key).IntN(10)]++
	}
	for i, n := range buckets {
		require.InDelta(t, 1000, n, 150, "bucket %d", i)
	}
}

// TestMixIsSplitMix64 compares Mix with the published generator: its n-th output mixes n
// times the increment (Vigna, https://prng.di.unimi.it/splitmix64.c, seed 1234567).
func TestMixIsSplitMix64(t *testing.T) {
	const increment = 0x9e3779b97f4a7c15
	state := uint64(1234567)
	for _, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		require.Equal(t, want, env.Mix(state))
		state += increment
	}
}

func TestCheckAction(t *testing.T) {
	s := envtest.MustTree(2, "((AB) =)").New()
	require.NoError(t, env.CheckAction(s, 0))
	require.NoError(t, env.CheckAction(s, 1))
	for _, a := range []env.Action{-1, 2} {
		err := env.CheckAction(s, a)
		require.ErrorIs(t, err, env.ErrIllegal)
		require.EqualError(t, err, fmt.Sprintf("illegal action %d", a))
	}
	s.Play(1)
	require.ErrorIs(t, env.CheckAction(s, 0), env.ErrIllegal, "the game is over")
}

func TestParseAction(t *testing.T) {
	_, o, err := env.ParseName("mnk")
	require.NoError(t, err)
	game, err := mnk.New(o)
	require.NoError(t, err)
	s := game.New()

	a, err := env.ParseAction(s, "b2")
	require.NoError(t, err)
	require.Equal(t, env.Action(4), a)
	for _, name := range []string{"", "B2", "d1", " b2", "b2\n"} {
		_, err := env.ParseAction(s, name)
		require.ErrorIs(t, err, env.ErrIllegal)
		require.EqualError(t, err, fmt.Sprintf("illegal action %q in .../.../...", name))
	}
	_, err = env.ParseAction(s, strings.Repeat("z", 1000))
	require.Less(t, len(err.Error()), 200)
	require.NoError(t, s.(env.Positioner).SetPosition("xxx/.oo/..."))
	_, err = env.ParseAction(s, "a1")
	require.EqualError(t, err, `illegal action "a1": the game is over`)
}

// A Value is ordered by seat; a View begins with the viewer.
func ExampleValue_From() {
	v := env.WinFor(1, 3)
	fmt.Println(v[:3])
	w := v.From(1, 3)
	fmt.Println(w[:3])
	// Output:
	// [-0.5 1 -0.5]
	// [1 -0.5 -0.5]
}

// Streams depend on all keys and on their order.
func ExampleNewRand() {
	const seed, game = 1, 17
	a, b := env.NewRand(seed, game), env.NewRand(seed, game)
	fmt.Println(a.IntN(100) == b.IntN(100))
	var _ *rand.Rand = a
	// Output:
	// true
}
