package selfplay_test

import (
	"bytes"
	"errors"
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
			h, got, err := selfplay.Read(bytes.NewReader(data), env.Variants(game, nil))
			require.NoError(t, err)
			require.Equal(t, selfplay.NewHeader(game.Spec(), 7, 3, "test"), h)
			require.Equal(t, episodes, got)
			require.Equal(t, data, file(t, job, got))

			_, _, err = selfplay.Read(bytes.NewReader(data), func(name string) (env.Game, error) {
				require.Equal(t, game.Spec().Name, name)
				return game, nil
			})
			require.NoError(t, err)
			unknown := errors.New("unknown game")
			_, _, err = selfplay.Read(bytes.NewReader(data), func(string) (env.Game, error) { return nil, unknown })
			require.ErrorIs(t, err, unknown)
		})
	}
}

// TestTornFiles truncates a growing file at every position. Exactly the games that are
// complete before that position are read.
func TestTornFiles(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Games = 6
	episodes := play(t, job)
	var b bytes.Buffer
	require.NoError(t, selfplay.Write(&b, selfplay.NewHeader(job.Game.Spec(), 7, 3, "test"), nil))
	a := selfplay.NewAppender(&b)
	ends := []int{b.Len()}
	for _, e := range episodes {
		require.NoError(t, a.Append(encode(t, e)))
		ends = append(ends, b.Len())
	}
	whole := 0
	for cut := range b.Len() + 1 {
		for whole < len(ends) && ends[whole] <= cut {
			whole++
		}
		_, got, err := selfplay.Read(bytes.NewReader(b.Bytes()[:cut]), env.Variants(job.Game, nil))
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

// full is a disk with limited space: a write that does not fit is cut short.
type full struct {
	bytes.Buffer
	room int
}

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	f.Buffer.Write(p[:n])
	if n < len(p) {
		return n, errors.New("disk full")
	}
	return n, nil
}

// TestNothingBehindATornGame: no game is appended after an incomplete one, because it could
// not be read.
func TestNothingBehindATornGame(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	job.Games = 3
	episodes := play(t, job)
	disk := &full{room: 1 << 20}
	require.NoError(t, selfplay.Write(disk, selfplay.NewHeader(job.Game.Spec(), 7, 3, "test"), nil))
	a := selfplay.NewAppender(disk)
	require.NoError(t, a.Append(encode(t, episodes[0])))
	disk.room = 20
	require.ErrorContains(t, a.Append(encode(t, episodes[1])), "disk full")
	disk.room = 1 << 20
	require.ErrorContains(t, a.Append(encode(t, episodes[2])), "disk full")
	_, got, err := selfplay.Read(&disk.Buffer, env.Variants(job.Game, nil))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, episodes[:1], got)
}

// TestFlippedBits: the checksums of frames detect damage.
func TestFlippedBits(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	episodes := play(t, job)
	data := file(t, job, episodes)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		_, got, err := selfplay.Read(bytes.NewReader(damaged), env.Variants(job.Game, nil))
		if err == nil {
			require.Equal(t, episodes, got)
		}
	}
}

func compress(t testing.TB, text string) []byte {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return encoder.EncodeAll([]byte(text), nil)
}

const (
	goodHeader = `{"format":2,"what":"tiro episodes","game":"mnk","version":2,"seed":1,"generation":0,"net":""}`
	goodLine   = `{"game":0,"opening":1,"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"],` +
		`"samples":[{"ply":1,"policy":"b1:0.25 a2:0.75","value":[0.5,-0.5],"kl":0.1},{"ply":4,"policy":"c1:1","value":[1,-1],"kl":0}]}`
)

func TestReadIsStrict(t *testing.T) {
	game := newGame(t, "mnk")
	_, episodes, err := selfplay.Read(bytes.NewReader(compress(t, goodHeader+"\n"+goodLine+"\n")), env.Variants(game, nil))
	require.NoError(t, err)
	require.Len(t, episodes, 1)
	require.Equal(t, []selfplay.PolicyEntry{{Action: 1, Weight: 2500}, {Action: 3, Weight: 7500}}, episodes[0].Samples[0].Policy)

	_, episodes, err = selfplay.Read(bytes.NewReader(compress(t, goodHeader+"\n{}\n"+goodLine+"\n")), env.Variants(game, nil))
	require.ErrorContains(t, err, "line 2: ")
	require.Empty(t, episodes, "the first error is final")

	tests := []struct{ name, old, new, want string }{
		{"other game", `"game":"mnk"`, `"game":"go"`, `line 1: game is "go", not "mnk"`},
		{"other version", `"version":2`, `"version":9`, "line 1: version is 9"},
		{"newer format", `"format":2`, `"format":3,"more":0`, "line 1: written by a newer tiro: format 3, this one reads format 2"},
		{"older format", `"format":2`, `"format":1`, "line 1: written by an older tiro: format 1, this one reads format 2"},
		{"not episodes", "tiro episodes", "something", `line 1: wrong kind of file: "what" is "something", not "tiro episodes"`},
		{"no header", goodHeader, "[]", "line 1: the value is an array but must be an object"},
		{"unknown field", `"plies"`, `"ply":0,"plies"`, "line 2: json: unknown field"},
		{"two values", `"kl":0}]}`, `"kl":0}]} {}`, "line 2: more than one JSON value"},
		{"a brace too many", `"kl":0}]}`, `"kl":0}]}}`, "line 2: more than one JSON value"},
		{"a header with more", `"seed":1`, `"seed":1,"sead":1`, "line 1: json: unknown field"},
		{"the same game twice", "]}\n", "]}\n" + goodLine + "\n", "line 3: duplicate game 0"},
		{"game of a huge number", `"game":0`, `"game":16777216`, "line 2: game is 16777216"},
		{"no list of actions", `["a1","a2","b1","b2","c1"]`, `"a1"`, `line 2: field "actions" is a string but must be an array`},
		{"too many seats", `[0.5,-0.5]`, `[0,0,0,0,0]`, "line 2: samples[0].value: 5 numbers for 2 seats"},
		{"sample with an unknown field", `"kl":0}`, `"kl":0,"kk":1}`, "line 2: json: unknown field"},
		{"torn", "]}\n", "]}", "line 2: unexpected EOF"},
		{"game", `"game":0`, `"game":-1`, "line 2: game is -1"},
		{"plies", `"plies":5`, `"plies":6`, "line 2: plies is 6, but there are 5 actions"},
		{"opening", `"opening":1`, `"opening":6`, "line 2: opening is 6"},
		{"illegal action", `"b2"`, `"a1"`, `line 2: actions[3]: illegal action "a1"`},
		{"action after the end", `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"]`, `"plies":6,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1","c2"]`, "line 2: actions[5]: the game is over"},
		{"game not over", `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"]`, `"plies":5,"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c3"]`, `line 2: actions: the game is not over after 5`},
		{"other result", `"result":[1,-1]`, `"result":[-1,1]`, "line 2: result is [-1 1], but by the rules it is [1 -1]"},
		{"short result", `"result":[1,-1]`, `"result":[1]`, "line 2: result: 1 numbers"},
		{"other ending", `"ending":"k-in-row"`, `"ending":"full"`, `line 2: ending is "full", but by the rules it is "k-in-row"`},
		{"resigned after the end", `"ending":"k-in-row"`, `"ending":"resignation"`, `line 2: ending is "resignation", but by the rules the game is over`},
		{"resigned as a draw", `"result":[1,-1],"ending":"k-in-row","actions":["a1","a2","b1","b2","c1"]`, `"result":[0,0],"ending":"resignation","actions":["a1","a2","b1","b2","c3"]`, "line 2: result is [0 0], but a resigned game must have 1 for one seat"},
		{"sample in the opening", `"ply":1`, `"ply":0`, "line 2: samples[0].ply is 0"},
		{"sample after the end", `"ply":4`, `"ply":5`, "line 2: samples[1].ply is 5"},
		{"samples out of order", `"ply":4`, `"ply":1`, "line 2: samples[1].ply is 1"},
		{"policy of an illegal action", "b1:0.25", "a1:0.25", `line 2: samples[0].policy: "a1" is not legal or out of order`},
		{"policy out of order", "b1:0.25 a2:0.75", "a2:0.75 b1:0.25", `line 2: samples[0].policy: "b1" is not legal or out of order`},
		{"policy sum", "b1:0.25", "b1:0.2", "line 2: samples[0].policy: the probabilities sum to 0.95"},
		{"policy digits", "b1:0.25", "b1:0.24999", `line 2: samples[0].policy: probability "0.24999"`},
		{"policy NaN", "b1:0.25", "b1:NaN", `line 2: samples[0].policy: probability "NaN"`},
		{"policy empty", "c1:1", "", `line 2: samples[1].policy: "" does not have`},
		{"value", `[0.5,-0.5]`, `[0.5,-1.5]`, "line 2: samples[0].value: -1.5"},
		{"value sum", `[0.5,-0.5]`, `[-1,-1]`, "line 2: samples[0].value: [-1 -1] sum to -2, not 0"},
		{"kl", `"kl":0.1`, `"kl":-0.1`, "line 2: samples[0].kl is -0.1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := goodHeader + "\n" + goodLine + "\n"
			require.Contains(t, text, test.old)
			_, _, err := selfplay.Read(bytes.NewReader(compress(t, strings.Replace(text, test.old, test.new, 1))), env.Variants(game, nil))
			require.ErrorContains(t, err, test.want)
		})
	}
}
