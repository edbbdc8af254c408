package coerceo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

func newGame(t testing.TB, name string) *Game {
	t.Helper()
	_, o, err := env.ParseName(name)
	require.NoError(t, err)
	g, err := New(o)
	require.NoError(t, err)
	return g.(*Game)
}

// variants are games in which each option differs from its default at least once.
var variants = []string{
	"coerceo",
	"coerceo:win=base,price=1",
	"coerceo:win=short,exchangecounts=false",
	"coerceo:win=short,price=1,nomove=loss,repetition=0,noprogress=0,maxplies=300",
	"coerceo:win=competitive",
	"coerceo:win=competitive,price=1,exchangecounts=false,noprogress=40",
	"coerceo:repetition=2,noprogress=0",
	"coerceo:win=base,nomove=draw,repetition=0,noprogress=20",
}

func TestConformance(t *testing.T) {
	for _, name := range variants {
		t.Run(name, func(t *testing.T) { envtest.Run(t, newGame(t, name)) })
	}
}
