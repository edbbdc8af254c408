package study

import (
	"fmt"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
)

// Origin is a checkpoint of a run, from which another run or a fit starts.
type Origin struct {
	Game       env.Game
	Config     recipe.Config // configuration of the run
	Generation int           // generation of the checkpoint
	State      rundir.State  // state of the checkpoint

	folder rundir.Folder
	find   env.Lookup
}

// OpenOrigin reads the checkpoint at path, which is the folder of a checkpoint, or a run
// folder, for its newest checkpoint. find finds the game, as games.New does.
func OpenOrigin(path string, find env.Lookup) (o *Origin, err error) {
	err = follow(path, find, func(from *Origin) error {
		o = from
		return o.readState()
	})
	return o, err
}

// follow calls do with the checkpoint at path, without its State; see rundir.Follow.
func follow(path string, find env.Lookup, do func(*Origin) error) error {
	return rundir.Follow(disk.OS{}, path, func(place rundir.Place) error {
		o, err := openOrigin(place, find)
		if err == nil {
			err = do(o)
		}
		return err
	})
}

// openOrigin returns the checkpoint at a place, without its State.
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
