package games_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// FuzzNew: New rejects a game string with a short error, or returns a game with a canonical
// name and plausible sizes.
func FuzzNew(f *testing.F) {
	for _, e := range games.All() {
		f.Add(e.Name)
		for _, o := range e.Options {
			f.Add(e.Name + ":" + o.Name + "=" + o.Initial())
		}
	}
	for _, text := range []string{
		"", ":", "mnk:", "mnk:m=19,n=19,k=19", "mnk:m=99999999999999999999", "mnk:m=3,m=3", "coerceo:win=competitive,price=1",
		"pacru:players=4,meeting=9", "Coerceo", "mnk:m=+3", "mnk:m=03", "\x00:\xff=\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _, _ = env.ParseName(text)
		game, err := games.New(text)
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		spec := game.Spec()
		again, err := games.New(spec.Name)
		require.NoError(t, err)
		require.Equal(t, spec, again.Spec())
		require.True(t, strings.HasPrefix(text, strings.Split(spec.Name, ":")[0]))
		require.Less(t, spec.Inputs(), 1<<20)
		require.Less(t, spec.Actions(), 1<<20)
		require.NotEmpty(t, game.New().Legal(nil))
	})
}
