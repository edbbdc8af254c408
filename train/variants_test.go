package train_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/train"
)

// TestSchedules: generations play the scheduled numbers of games of the scheduled variants and
// learn from them. A run that is resumed in the middle ends like an uninterrupted one. Impossible
// schedules are refused before the run begins.
func TestSchedules(t *testing.T) {
	var dirs [2]string
	for i, stops := range [][]int{{4}, {1, 2, 3, 4}} {
		dirs[i] = t.TempDir()
		for _, generations := range stops {
			o := options(dirs[i], generations)
			o.Config.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 0, Options: "k=2"}, {Generation: 3, Options: ""}}
			o.Config.GamesPerGeneration = 8
			o.Config.GenerationSchedule = []recipe.GenerationStep{{Generation: 2, Games: 12}, {Generation: 4, Games: 6}}
			run(t, o)
		}
	}
	require.Equal(t, contents(t, dirs[0]), contents(t, dirs[1]))
	folder := rundir.At(disk.OS{}, dirs[0])
	for g, games := range map[int]int{1: 8, 2: 12, 3: 12, 4: 6} {
		want := "mnk"
		if g < 3 {
			want = "mnk:k=2"
		}
		h, episodes, err := folder.ReadEpisodes(folder.Generation(g).Episodes(), findGame)
		require.NoError(t, err)
		require.Equal(t, want, h.Game)
		require.Len(t, episodes, games)
		require.Equal(t, want, episodes[0].Rules.Spec().Name)
	}

	o := options(t.TempDir(), 1)
	o.Config.Selfplay.GameSchedule = []selfplay.GameStep{{Generation: 7, Options: "m=4"}}
	require.ErrorContains(t, train.Run(context.Background(), o), `selfplay.game_schedule: game is "mnk:m=4", not "mnk" or a variant of it: its number of columns is 4, not 3`)
	o.Find = nil
	require.ErrorContains(t, train.Run(context.Background(), o), `game is "mnk:m=4", not "mnk"`)
}
