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

// TestDigest: the digest is the checksum of the checksums of an episode file's lines
// without the header.
func TestDigest(t *testing.T) {
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

	d := selfplay.NewDigest()
	for i := range episodes {
		require.NoError(t, d.Add(&episodes[i]))
	}
	require.Equal(t, hex.EncodeToString(want[:])[:16], d.Sum())
}
