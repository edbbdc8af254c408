package selfplay_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

func TestFilesReadBack(t *testing.T) {
	for _, game := range []env.Game{newGame(t, "mnk"), newGame(t, "mnk:m=5,n=4,k=4"), three()} {
		t.Run(game.Spec().Name, func(t *testing.T) {
			job := newJob(game)
			episodes := play(t, job)
			data := file(t, job, episodes)
			h, got, err := selfplay.Read(bytes.NewReader(data), game)
			require.NoError(t, err)
			require.Equal(t, selfplay.NewHeader(game.Spec(), 7, 3, "test"), h)
			require.Equal(t, episodes, got)
			require.Equal(t, data, file(t, job, got))
		})
	}
}

// TestTornFiles cuts a file that is still being written anywhere: whole games
// before the cut are read, and never anything else.
func TestTornFiles(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Games = 6
	episodes := play(t, job)
	var b bytes.Buffer
	a, err := selfplay.NewAppender(&b, job.Game)
	require.NoError(t, err)
	require.NoError(t, a.Begin(selfplay.NewHeader(job.Game.Spec(), 7, 3, "test")))
	ends := []int{b.Len()}
	for _, e := range episodes {
		require.NoError(t, a.Append(e))
		ends = append(ends, b.Len())
	}
	whole := 0
	for cut := range b.Len() + 1 {
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		_, got, err := selfplay.Read(bytes.NewReader(b.Bytes()[:cut]), job.Game)
		if len(got) > 0 {
			require.Equal(t, episodes[:len(got)], got)
		}
		require.GreaterOrEqual(t, len(got), whole-1, "cut at %d", cut)
		if whole > 0 && cut == ends[whole-1] {
			require.NoError(t, err)
		} else {
			require.Error(t, err, "cut at %d", cut)
		}
	}
}

// TestFlippedBits: a frame has a checksum, so that damage is found or without
// effect.
func TestFlippedBits(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	episodes := play(t, job)
	data := file(t, job, episodes)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		_, got, err := selfplay.Read(bytes.NewReader(damaged), job.Game)
		if err == nil {
			require.Equal(t, episodes, got)
		}
	}
}

func compress(t *testing.T, text string) []byte {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return encoder.EncodeAll([]byte(text), nil)
}

const (
	goodHeader = `{"format":1,"what":"tiro episodes","game":"mnk","version":1,"seed":1,"generation":0,"net":""}`
	goodLine   = `{"game":0,"opening":1,"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"],` +
		`"rows":[{"ply":1,"policy":"b1:0.25 a2:0.75","value":[0.5,-0.5],"kl":0.1},{"ply":4,"policy":"c1:1","value":[1,-1],"kl":0}]}`
)

func TestReadIsStrict(t *testing.T) {
	game := newGame(t, "mnk")
	_, episodes, err := selfplay.Read(bytes.NewReader(compress(t, goodHeader+"\n"+goodLine+"\n")), game)
	require.NoError(t, err)
	require.Len(t, episodes, 1)
	require.Equal(t, []selfplay.Share{{Action: 1, Part: 2500}, {Action: 3, Part: 7500}}, episodes[0].Rows[0].Policy)

	tests := []struct{ name, old, new, want string }{
		{"other game", `"game":"mnk"`, `"game":"go"`, `line 1: game is "go"; want "mnk"`},
		{"other version", `"version":1`, `"version":9`, "line 1: version is 9"},
		{"newer format", `"format":1`, `"format":2,"more":0`, "line 1: format is 2; this program reads format 1"},
		{"not episodes", "tiro episodes", "something", `line 1: what is "something"`},
		{"no header", goodHeader, "[]", "line 1: json"},
		{"unknown field", `"plies"`, `"ply":0,"plies"`, "line 2: json: unknown field"},
		{"two values", `"kl":0}]}`, `"kl":0}]} {}`, "line 2: more than one value"},
		{"torn", "]}\n", "]}", "line 2: unexpected EOF"},
		{"game", `"game":0`, `"game":-1`, "line 2: game is -1"},
		{"plies", `"plies":5`, `"plies":6`, "line 2: plies is 6, but there are 5 actions"},
		{"opening", `"opening":1`, `"opening":6`, "line 2: opening is 6; want 0 to 5"},
		{"illegal action", `"b2"`, `"a1"`, `line 2: actions[3]: illegal action "a1"`},
		{"action after the end", `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"]`, `"plies":6,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1","c2"]`, "line 2: actions[5]: the game is over"},
		{"game not over", `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"]`, `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c3"]`, `line 2: actions: the game is not over after 5`},
		{"other result", `"result":[1,-1]`, `"result":[-1,1]`, "line 2: result is [-1 1]; by the rules it is [1 -1]"},
		{"short result", `"result":[1,-1]`, `"result":[1]`, "line 2: result: 1 numbers"},
		{"other ending", `"ending":"k-in-row"`, `"ending":"full"`, `line 2: ending is "full"; by the rules it is "k-in-row"`},
		{"row in the opening", `"ply":1`, `"ply":0`, "line 2: rows[0].ply is 0"},
		{"row after the end", `"ply":4`, `"ply":5`, "line 2: rows[1].ply is 5"},
		{"rows out of order", `"ply":4`, `"ply":1`, "line 2: rows[1].ply is 1"},
		{"policy of an illegal action", "b1:0.25", "a1:0.25", `line 2: rows[0].policy: "a1" is not legal or out of order`},
		{"policy out of order", "b1:0.25 a2:0.75", "a2:0.75 b1:0.25", `line 2: rows[0].policy: "b1" is not legal or out of order`},
		{"policy sum", "b1:0.25", "b1:0.2", "line 2: rows[0].policy: the probabilities sum to 0.95"},
		{"policy digits", "b1:0.25", "b1:0.24999", `line 2: rows[0].policy: probability "0.24999"`},
		{"policy NaN", "b1:0.25", "b1:NaN", `line 2: rows[0].policy: probability "NaN"`},
		{"policy empty", "c1:1", "", `line 2: rows[1].policy: ""; want ACTION:PROBABILITY`},
		{"value", `[0.5,-0.5]`, `[0.5,-1.5]`, "line 2: rows[0].value: -1.5; want -1 to 1"},
		{"kl", `"kl":0.1`, `"kl":-0.1`, "line 2: rows[0].kl is -0.1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := goodHeader + "\n" + goodLine + "\n"
			require.Contains(t, text, test.old)
			_, _, err := selfplay.Read(bytes.NewReader(compress(t, strings.Replace(text, test.old, test.new, 1))), game)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// endless is a reader of zeros.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	clear(p[:n])
	e.left -= n
	return n, nil
}

// TestBombs: small files that become large ones.
func TestBombs(t *testing.T) {
	game := newGame(t, "mnk")
	bomb := func(window int) io.Reader {
		var b bytes.Buffer
		encoder, err := zstd.NewWriter(&b, zstd.WithWindowSize(window))
		require.NoError(t, err)
		_, err = fmt.Fprintln(encoder, goodHeader)
		require.NoError(t, err)
		_, err = io.Copy(encoder, &endless{200 << 20})
		require.NoError(t, err)
		require.NoError(t, encoder.Close())
		require.Less(t, b.Len(), 1<<20)
		return &b
	}
	_, _, err := selfplay.Read(bomb(8<<20), game)
	require.ErrorContains(t, err, "line 2: longer than")
	_, _, err = selfplay.Read(bomb(64<<20), game)
	require.ErrorIs(t, err, zstd.ErrWindowSizeExceeded)
}
