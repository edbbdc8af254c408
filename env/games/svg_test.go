package games_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

var dataCell = regexp.MustCompile(`data-cell="([^"]*)"`)

// TestPicturesCanBePointedAt: the name of every action contains places of the
// picture, unless it is a word or a sign.
func TestPicturesCanBePointedAt(t *testing.T) {
	words := map[string]bool{"pass": true, "skip": true, "*": true}
	for _, name := range append(games.All().Names(), "pacru:players=3", "mnk:m=15,n=15,k=5") {
		game, err := games.New(name)
		require.NoError(t, err)
		rng, s := env.NewRand(1), game.New()
		var before env.State
		for range 60 {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				break
			}
			picture := s.(env.SVGDrawer).DrawSVG(before)
			var cells []string
			for _, m := range dataCell.FindAllStringSubmatch(picture, -1) {
				cells = append(cells, m[1])
			}
			require.NotEmpty(t, cells)
			for _, a := range legal {
				action := s.ActionString(a)
				pointed := false
				for _, c := range cells {
					pointed = pointed || strings.Contains(action, c)
				}
				require.True(t, pointed || words[action], "%s: %s", name, action)
			}
			before = env.After(game, s)
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
}
