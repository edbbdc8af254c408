package coerceo

import (
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
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

// TestLabels: the letter in a field is the last one of the field's name.
func TestLabels(t *testing.T) {
	text := newGame(t, "coerceo").New().(*State).DrawSVG(nil)
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return x
	}
	fields := regexp.MustCompile(`data-cell="(\w+)"[^>]* d="M([-\d.]+),([-\d.]+) ([-\d.]+),([-\d.]+) ([-\d.]+),([-\d.]+)z"`).FindAllStringSubmatch(text, -1)
	letters := regexp.MustCompile(`class="ck" x="([-\d.]+)" y="([-\d.]+)">(.)<`).FindAllStringSubmatch(text, -1)
	require.Len(t, fields, 19*6)
	require.Len(t, letters, 19*6)
	for _, l := range letters {
		nearest, least := "", math.Inf(1)
		for _, f := range fields {
			x, y := (number(f[2])+number(f[4])+number(f[6]))/3, (number(f[3])+number(f[5])+number(f[7]))/3
			if d := math.Hypot(x-number(l[1]), y-number(l[2])); d < least {
				nearest, least = f[1], d
			}
		}
		require.True(t, strings.HasSuffix(nearest, l[3]), "%s in %s", l[3], nearest)
	}
}
