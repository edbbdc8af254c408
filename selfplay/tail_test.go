package selfplay_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// partial returns an unfinished episode file that began with the given number of games and
// to which the others were appended.
func partial(t testing.TB, game env.Game, episodes []selfplay.Episode, begun int) []byte {
	var b bytes.Buffer
	encoded, err := selfplay.EncodeAll(episodes[:begun])
	require.NoError(t, err)
	require.NoError(t, selfplay.Write(&b, selfplay.NewHeader(game.Spec(), 7, 3, "test"), encoded))
	a := selfplay.NewAppender(&b)
	for _, e := range episodes[begun:] {
		require.NoError(t, a.Append(encode(t, e)))
	}
	return b.Bytes()
}

func only(game env.Game) env.Lookup { return func(string) (env.Game, error) { return game, nil } }

// TestTail: however a file grows, each game is found once, as soon as its last byte has
// arrived. If many arrive at once, the newest are returned.
func TestTail(t *testing.T) {
	game := newGame(t, "mnk")
	job := newJob(game)
	job.Games = 7
	episodes := play(t, job)
	for _, begun := range []int{0, 3, 7} {
		data := partial(t, game, episodes, begun)
		for _, piece := range []int{1, 7, 100, len(data)} {
			tail := selfplay.NewTail(only(game))
			var got []selfplay.Episode
			for at := 0; at < len(data); at += piece {
				more, err := tail.Add(data[at:min(len(data), at+piece)], 10)
				require.NoError(t, err)
				got = append(got, more...)
			}
			require.Equal(t, episodes, got, "begun with %d, in pieces of %d", begun, piece)
			require.Equal(t, 7, tail.Games())
		}
		newest, err := selfplay.NewTail(only(game)).Add(data, 2)
		require.NoError(t, err)
		require.Equal(t, episodes[5:], newest)
	}
}

// TestTailDamaged: anything else than an episode file is rejected permanently.
func TestTailDamaged(t *testing.T) {
	game := newGame(t, "mnk")
	episodes := play(t, newJob(game))
	good := partial(t, game, episodes, 1)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-20] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text":    {[]byte("no episode file at all"), "magic"},
		"flipped": {flipped, "follow episodes"},
		"skipped": {append(bytes.Clone(good), skippable(9, "something")...), "skippable"},
		"game":    {compress(t, "{}\n"), "follow episodes"},
	} {
		tail := selfplay.NewTail(only(game))
		_, err := tail.Add(c.data, 5)
		require.ErrorContains(t, err, c.want, name)
		_, again := tail.Add(good, 5)
		require.Equal(t, err, again, name)
	}
}

// FuzzTail: for arbitrary bytes in arbitrary pieces, a Tail finds only games that Each
// finds.
func FuzzTail(f *testing.F) {
	game := newGame(f, "mnk")
	job := newJob(game)
	job.Games = 4
	data := partial(f, game, play(f, job), 2)
	f.Add(data, 5)
	f.Add(data[:len(data)-3], len(data)/2)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = min(max(0, cut), len(data))
		tail := selfplay.NewTail(only(game))
		got, err := tail.Add(data[:cut], 1000)
		if err == nil {
			var more []selfplay.Episode
			more, err = tail.Add(data[cut:], 1000)
			got = append(got, more...)
		}
		if err != nil {
			return
		}
		_, want, _ := selfplay.Read(bytes.NewReader(data), env.Variants(game, nil))
		seen := map[int]bool{}
		for _, e := range got { // Each stops at a duplicate game
			if seen[e.Game] {
				return
			}
			seen[e.Game] = true
		}
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}
