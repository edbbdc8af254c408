package pacru

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestStatusNamesTheConnection asks for a connection only where there is one.
func TestStatusNamesTheConnection(t *testing.T) {
	s := newGameOf(t, "pacru").New().(*State)
	rng := env.NewRand(1)
	var asked [2]int
	for range 500 {
		*s = *newGameOf(t, "pacru").New().(*State)
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			if s.phase == benefiting {
				linked := int(legal[len(legal)-1])/fields == linkPlane
				require.Equal(t, linked, strings.Contains(s.Draw(false), "* to connect"), s)
				asked[bit(linked)]++
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
	require.Positive(t, asked[0], asked)
	require.Positive(t, asked[1], asked)
}
