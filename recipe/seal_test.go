package recipe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeal(t *testing.T) {
	text := []byte("game: mnk\nseed: 3\n")
	require.NoError(t, checkSeal(text), "written by hand")
	sealed := seal(text)
	require.NoError(t, checkSeal(sealed))
	for bit := range 8 * len(sealed) {
		sealed[bit/8] ^= 1 << (bit % 8)
		if err := checkSeal(sealed); err == nil {
			// The keyword itself is damaged, so there is no checksum.
			require.Equal(t, text, sealed[len(sealed)-len(text):], "bit %d", bit)
		}
		sealed[bit/8] ^= 1 << (bit % 8)
	}
	for length := len(sealKey); length < len(sealed); length++ {
		require.Error(t, checkSeal(sealed[:length]), "cut after %d bytes", length)
	}
	require.ErrorContains(t, checkSeal(append(sealed, "seed: 4\n"...)), "checksum")
}
