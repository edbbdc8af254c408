package pacru

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrawSVG: every chevron of the start position is drawn, and changes of a move are
// marked.
func TestDrawSVG(t *testing.T) {
	game := newGameOf(t, "pacru:players=3")
	s := game.New().(*State)
	text := s.DrawSVG(nil)
	require.NoError(t, xml.Unmarshal([]byte(text), new(struct{})))
	chevrons := 0
	for _, n := range s.count {
		chevrons += int(n)
	}
	require.Equal(t, chevrons, strings.Count(text, "rotate("))
	require.Equal(t, side*side, strings.Count(text, `class="pf"`))
	require.Contains(t, text, "Yellow")
	require.NotContains(t, text, `class="pc"`)
	next := game.New().(*State)
	for range 3 {
		next.Play(next.Legal(nil)[0])
	}
	require.Contains(t, next.DrawSVG(s), `class="pc"`)
}
