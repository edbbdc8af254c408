package selfplay_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tiro/selfplay"
)

// TestSum: the sum is the checksum of the checksums of an episode file's lines
// without the header.
func TestSum(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	episodes := play(t, job)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	text, err := decoder.DecodeAll(file(t, job, episodes), nil)
	require.NoError(t, err)
	_, lines, _ := strings.Cut(string(text), "\n")
	var sums []byte
	for line := range strings.Lines(lines) {
		sum := sha256.Sum256([]byte(line))
		sums = append(sums, sum[:]...)
	}
	want := sha256.Sum256(sums)

	got, err := selfplay.Sum(episodes)
	require.NoError(t, err)
	require.Equal(t, hex.EncodeToString(want[:])[:16], got)
	games, err := selfplay.EncodeAll(episodes)
	require.NoError(t, err)
	require.Equal(t, got, selfplay.SumEncoded(games))
}
