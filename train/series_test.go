package train_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env/games"
	"tiro/internal/effort"
	"tiro/rundir"
)

// TestTorturePacruSeries: games of two to four players, in Pacru with turns of several actions,
// pass through self-play, records, symmetries and learning. A run that was stopped and resumed
// with more workers ends the same.
func TestTorturePacruSeries(t *testing.T) {
	for i, name := range []string{
		"shacru:maxturns=8", "shacru:players=3,maxturns=6", "shacru:players=4,maxturns=5",
		"azacru:maxturns=8", "azacru:players=3,maxturns=6", "azacru:players=4,maxturns=5",
		"pacru:maxturns=8", "pacru:players=3,maxturns=6", "pacru:players=4,maxturns=5",
	} {
		t.Run(name, func(t *testing.T) {
			if i%4 != 0 && !effort.Long() {
				t.Skip("one number of players for each game is enough")
			}
			game, err := games.New(name)
			require.NoError(t, err)
			unbroken, stopped := options(t.TempDir(), 2), options(t.TempDir(), 1)
			unbroken.Game, stopped.Game = game, game
			unbroken.Config.GamesPerGeneration, stopped.Config.GamesPerGeneration = 4, 4
			run(t, unbroken)
			run(t, stopped)
			stopped.Generations, stopped.Workers = 2, 2
			run(t, stopped)
			requireSame(t, contents(t, unbroken.Dir), stopped.Dir)

			w, info, err := rundir.OpenNetwork(disk.OS{}, stopped.Dir, games.New)
			require.NoError(t, err)
			require.Equal(t, 2, info.Generation)
			require.Equal(t, game.Spec(), w.Spec)
		})
	}
}
