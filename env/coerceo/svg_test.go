package coerceo

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrawSVG: the start position shows all tiles and pieces, and a move marks two fields.
func TestDrawSVG(t *testing.T) {
	game := newGame(t, "coerceo")
	s := game.New().(*State)
	text := s.DrawSVG(nil)
	require.NoError(t, xml.Unmarshal([]byte(text), new(struct{})))
	require.Equal(t, 19, strings.Count(text, `class="ct"`))
	require.Equal(t, 18, strings.Count(text, `class="pw"`))
	require.Equal(t, 18, strings.Count(text, `class="pb"`))
	require.NotContains(t, text, `class="cc"`)
	require.Contains(t, text, "White: 18 pieces, 0 tiles in hand")
	next := game.New().(*State)
	next.Play(next.Legal(nil)[0])
	require.Equal(t, 2, strings.Count(next.DrawSVG(s), `class="cc"`))
}
