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
func OpenOrigin(path string, find env.Lookup) (o *Origin, err error) {
	err = rundir.Follow(disk.OS{}, path, func(place rundir.Place) error {
		if o, err = openOrigin(place, find); err != nil {
			return err
		}
		return o.readState()
	})
	return o, err
}

// openOrigin returns the checkpoint at a place, of which nothing is read yet.
func openOrigin(place rundir.Place, find env.Lookup) (o *Origin, err error) {
	if place.Run == "" || place.Generation < 0 {
		return nil, fmt.Errorf("%s is neither a run folder with checkpoints nor a checkpoint in one", place.Path)
	}
	o = &Origin{Generation: place.Generation, folder: rundir.At(disk.OS{}, place.Run), find: find}
	if o.Config, err = recipe.Read(o.folder); err != nil {
		return nil, err
	}
	if o.Game, err = find(o.Config.Game); err != nil {
		return nil, fmt.Errorf("%s: game: %w", o.folder.Path(rundir.ConfigFile), err)
	}
	o.Config.Game = o.Game.Spec().Name
	return o, nil
}

func (o *Origin) readState() error {
	checkpoint, err := o.folder.Store(o.Game.Spec()).Load(o.Generation)
	if err == nil {
		o.State, _, err = rundir.ReadCheckpoint(checkpoint)
	}
	return err
}
