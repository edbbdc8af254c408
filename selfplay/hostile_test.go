package selfplay_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// frame returns a zstd frame (RFC 8878, 3.1.1) with a window of 2^log bytes. It
// decompresses to text followed by blocks of 128 KiB of the byte fill.
func frame(log int, text string, fill byte, blocks int) []byte {
	data := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3}
	block := func(kind, size int, last bool, content ...byte) {
		header := uint32(size<<3 | kind<<1)
		if last {
			header |= 1
		}
		data = append(binary.LittleEndian.AppendUint32(data, header)[:len(data)+3], content...)
	}
	const raw, repeated = 0, 1
	for range blocks {
		block(repeated, 128<<10, false, fill)
	}
	block(raw, len(text), true, []byte(text)...)
	return data
}

// skippable returns a skippable frame that claims to have the given size.
func skippable(size int, content string) []byte {
	data := binary.LittleEndian.AppendUint32(nil, 0x184d2a50)
	return append(binary.LittleEndian.AppendUint32(data, uint32(size)), content...)
}

// padded returns lines with games, lengthened by spaces between tokens.
func padded(lines int) string {
	var b strings.Builder
	for i := range lines {
		line := strings.Replace(goodLine, `"game":0`, fmt.Sprintf(`"game":%d`, i), 1)
		b.WriteString(strings.Replace(line, ",", ","+strings.Repeat(" ", 1<<20), 1) + "\n")
	}
	return b.String()
}

// hostile returns small files that would use much memory.
func hostile(t testing.TB) []hostileFile {
	header := compress(t, goodHeader+"\n")
	with := func(more ...[]byte) []byte { return append(bytes.Clone(header), bytes.Join(more, nil)...) }
	line := func(text string) []byte { return with(compress(t, text+"\n")) }
	samples := func(sample string) []byte {
		return line(`{"game":0,"samples":[` + strings.Repeat(sample+",", 5<<20/(len(sample)+1)) + sample + `]}`)
	}
	return []hostileFile{
		{"a line of a gigabyte", with(frame(23, "", 'x', 8192)), "line 2: longer than 33554432 bytes"},
		{"a header of a gigabyte", frame(23, "", ' ', 8192), "line 1: longer than 33554432 bytes"},
		{"a huge window", with(frame(30, goodLine+"\n", ' ', 1)), "line 2: window size exceeded"},
		{"one game repeated", with(compress(t, strings.Repeat(goodLine+"\n", 1<<18))), "line 3: duplicate game 0"},
		{"games that are mostly spaces", with(compress(t, padded(90))), "no episode file does"},
		{"a long list of samples", samples("{}"), "commas, more than the limit of 1048576"},
		{"a long list of actions", line(`{"actions":[` + strings.Repeat(`"",`, 1<<20+1) + `""]}`), "commas, more than the limit of 1048576"},
		{"a long result", line(`{"result":[` + strings.Repeat(`0,`, 1<<20+1) + `0]}`), "commas, more than the limit of 1048576"},
		{"deep brackets", line(strings.Repeat("[", 4<<20)), "exceeded max depth"},
		{"deep samples", line(`{"samples":` + strings.Repeat("[", 4<<20)), "exceeded max depth"},
		{"a hundred thousand empty frames", with(bytes.Repeat([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0}, 100_000)), ""},
		{"skipped frames", with(skippable(4, "spam"), compress(t, goodLine+"\n")), ""},
		{"a skipped frame without end", with(skippable(1<<32-1, "spam")), "line 2: unexpected EOF"},
		{"no frame", with([]byte("spam and eggs")), "line 2: invalid input: magic number mismatch"},
		{"half a frame", with(compress(t, goodLine+"\n")[:60]), "line 2: unexpected EOF"},
		{"a block that is too large", with(append(frame(10, "", 0, 1), 0)), "line 2: "},
	}
}

type hostileFile struct {
	name string
	data []byte
	want string // in the error; "" if none is expected
}

// TestHostileFiles: the reader uses little memory for a small file, whatever it
// decompresses to.
func TestHostileFiles(t *testing.T) {
	game := newGame(t, "mnk")
	for _, test := range hostile(t) {
		t.Run(test.name, func(t *testing.T) {
			require.Less(t, len(test.data), 1<<20)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := selfplay.Read(bytes.NewReader(test.data), env.Variants(game, nil))
			runtime.ReadMemStats(&after)
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
				require.Less(t, len(err.Error()), 1000)
			}
			// The total of all allocations, most of which were freed at once.
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(400<<20))
		})
	}
}

// FuzzEpisodes: games accepted from arbitrary bytes or text are unchanged after writing and
// reading.
func FuzzEpisodes(f *testing.F) {
	games := []env.Game{newGame(f, "mnk"), three()}
	for i, game := range games {
		job := newJob(game)
		job.Games = 4
		whole := file(f, job, play(f, job))
		f.Add(uint8(i), true, whole)
		f.Add(uint8(i), true, whole[:len(whole)-9])
		f.Add(uint8(i), false, unpack(f, whole))
	}
	f.Add(uint8(0), false, []byte(goodHeader+"\n"+goodLine+"\n"))
	for _, h := range hostile(f) {
		if len(h.data) < 1000 {
			f.Add(uint8(0), true, h.data)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, packed bool, data []byte) {
		game := games[int(n)%len(games)]
		if !packed {
			data = compress(t, string(data))
		}
		h, episodes, err := selfplay.Read(bytes.NewReader(data), env.Variants(game, nil))
		if err != nil && len(episodes) == 0 {
			return
		}
		var b bytes.Buffer
		encoded, err := selfplay.EncodeAll(episodes)
		require.NoError(t, err)
		require.NoError(t, selfplay.Write(&b, h, encoded))
		again, same, err := selfplay.Read(&b, env.Variants(game, nil))
		require.NoError(t, err)
		require.Equal(t, h, again)
		require.Equal(t, episodes, same)
	})
}

func unpack(t testing.TB, data []byte) []byte {
	decoder, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1))
	require.NoError(t, err)
	defer decoder.Close()
	text, err := io.ReadAll(decoder)
	require.NoError(t, err)
	return text
}
