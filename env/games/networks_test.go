package games_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
)

// TestNetworksFit: networks can play the variants that share their planes and actions.
func TestNetworksFit(t *testing.T) {
	for _, test := range []struct {
		trained, plays string
		want           string // error; empty if the network fits
	}{
		{"coerceo", "coerceo:win=short", ""},
		{"coerceo", "coerceo:win=competitive,price=1", ""},
		{"coerceo:win=competitive", "coerceo:repetition=0,noprogress=0,maxplies=300", ""},
		{"shacru", "shacru:noprogress=10", ""},
		{"azacru", "azacru:maxturns=100", ""},
		{"pacru", "pacru:meeting=9,maxturns=100", ""},
		{"pacru:players=3", "pacru:players=3,meeting=9", ""},
		{"mnk:m=7,n=7,k=4", "mnk:m=7,n=7,k=5", ""},
		{"connect4", "connect4", ""},
		{"pacru", "pacru:players=3", "its number of seats is 3, not 2"},
		{"shacru:players=4", "shacru", "its number of seats is 2, not 4"},
		{"mnk", "mnk:m=4,n=4,k=3", "its number of rows is 4, not 3"},
		{"mnk:m=7,n=6,k=4", "connect4", "it is another game"},
		{"shacru", "azacru", "it is another game"},
	} {
		t.Run(test.trained+" plays "+test.plays, func(t *testing.T) {
			trained, err := games.New(test.trained)
			require.NoError(t, err)
			plays, err := games.New(test.plays)
			require.NoError(t, err)
			if err = plays.Spec().CheckNetwork(trained.Spec()); test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

// TestLimitsKeepPlanesAndActions: games with different limits have the same legal actions
// and planes in the same positions, except for the planes that show the use of a limit.
func TestLimitsKeepPlanesAndActions(t *testing.T) {
	for _, test := range []struct {
		game, limits string
		clocks       []int // planes that show the fraction of a limit used
	}{
		{"coerceo", "coerceo:repetition=5,noprogress=100,maxplies=500", []int{47, 48, 49}},
		{"coerceo", "coerceo:win=short", []int{44, 45}},
		{"shacru", "shacru:noprogress=60,maxturns=300", []int{14, 15}},
		{"azacru", "azacru:noprogress=60,maxturns=300", []int{14, 15}},
		{"pacru", "pacru:noprogress=60,maxturns=300", []int{14, 15}},
		{"pacru:players=4", "pacru:players=4,noprogress=60,maxturns=300", []int{14, 15}},
	} {
		t.Run(test.limits, func(t *testing.T) {
			one, err := games.New(test.game)
			require.NoError(t, err)
			other, err := games.New(test.limits)
			require.NoError(t, err)
			require.NoError(t, other.Spec().CheckNetwork(one.Spec()))
			spec := one.Spec()
			a, b := one.New(), other.New()
			planesA, planesB := make([]float32, spec.Inputs()), make([]float32, spec.Inputs())
			rng := env.NewRand(1)
			for range 60 {
				legal := a.Legal(nil)
				require.Equal(t, legal, b.Legal(nil))
				if len(legal) == 0 {
					break
				}
				a.Observe(planesA)
				b.Observe(planesB)
				for _, plane := range test.clocks {
					clear(planesA[plane*spec.Cells() : (plane+1)*spec.Cells()])
					clear(planesB[plane*spec.Cells() : (plane+1)*spec.Cells()])
				}
				require.Equal(t, planesA, planesB)
				action := legal[rng.IntN(len(legal))]
				a.Play(action)
				b.Play(action)
			}
		})
	}
}
