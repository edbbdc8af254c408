package study

import (
	"fmt"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
)

// Origin is a checkpoint of a run that something else goes on from.
type Origin struct {
	Game       env.Game
	Config     recipe.Config // of the run
	Generation int           // of the checkpoint
	State      rundir.State  // likewise

	folder rundir.Folder
	find   env.Lookup
}

// OpenOrigin reads the checkpoint at path, which is a run folder (its newest checkpoint
// is meant) or the folder of a checkpoint in one. The game is looked up by its game
// string with find, such as games.New.
func OpenOrigin(path string, find env.Lookup) (*Origin, error) {
	place, err := rundir.Resolve(disk.OS{}, path)
	if err != nil {
		return nil, err
	}
	if place.Run == "" || place.Generation < 0 {
		return nil, fmt.Errorf("%s is neither a run folder with checkpoints nor a checkpoint in one; want either", path)
	}
	o := &Origin{Generation: place.Generation, folder: rundir.At(disk.OS{}, place.Run), find: find}
	if o.Config, err = recipe.Read(o.folder); err != nil {
		return nil, err
	}
	if o.Game, err = find(o.Config.Game); err != nil {
		return nil, fmt.Errorf("%s: game: %w", o.folder.Path(rundir.ConfigFile), err)
	}
	o.Config.Game = o.Game.Spec().Name
	checkpoint, err := o.folder.Store(o.Game.Spec()).Load(o.Generation)
	if err != nil {
		return nil, err
	}
	o.State, _, err = rundir.ReadCheckpoint(checkpoint)
	return o, err
}
