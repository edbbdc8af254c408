package pacru

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

// TestStatusNamesTheConnection: the prompt offers a connection only if there is one.
func TestStatusNamesTheConnection(t *testing.T) {
	s := newGameOf(t, "pacru").New().(*State)
	rng := env.NewRand(1)
	var asked [2]int
	for n := 0; n < 500 && (asked[0] == 0 || asked[1] == 0); n++ {
		*s = *newGameOf(t, "pacru").New().(*State)
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			if s.phase == benefiting {
				linked := int(legal[len(legal)-1])/fields == linkPlane
				require.Equal(t, linked, strings.Contains(s.Draw(env.Screen{}), "* to connect"), s)
				asked[bit(linked)]++
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
	require.Positive(t, asked[0], asked)
	require.Positive(t, asked[1], asked)
}

// TestChangesAreMarked: every field changed by a turn is marked, and narrated if its marker
// changed.
func TestChangesAreMarked(t *testing.T) {
	for _, game := range []string{"shacru:players=4", "azacru", "pacru:players=3"} {
		s := newGameOf(t, game).New().(*State)
		rng := env.NewRand(1)
		before := *s
		for legal := s.Legal(nil); len(legal) > 0; legal = s.Legal(legal[:0]) {
			if s.phase == begin {
				before = *s
			}
			s.Play(legal[rng.IntN(len(legal))])
			screen := env.Screen{Columns: 79, Lines: 20, Since: &before}
			text := s.Narrate(&before)
			changed := 0
			for f := range uint8(fields) {
				here, then := s.content(f), before.content(f)
				if here != then {
					changed++
				}
				if here.owner != then.owner {
					require.Contains(t, text, fieldName(f))
				}
			}
			board := s.Draw(screen)
			if text := s.status(); text != "" {
				board = strings.ReplaceAll(board, text, "")
			}
			require.Equal(t, changed, strings.Count(board, "*"), board)
		}
	}
}
