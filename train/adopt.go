package train

import (
	"errors"
	"fmt"
	"io/fs"

	"tiro/rundir"
)

// adopt returns an error unless the configuration suits the newest checkpoint
// of a run whose own configuration is gone. Settings that a run may change may
// differ from those that were lost.
func (r *run) adopt(generations []int) error {
	if len(generations) == 0 {
		return nil
	}
	if _, err := r.Disk.Stat(r.folder.Path(rundir.ConfigFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	newest := generations[len(generations)-1]
	c, err := r.store.Load(newest)
	if err != nil {
		return r.without(generations, err)
	}
	seed := r.Config.Seed
	if newest > 0 {
		if h, _, err := r.folder.ReadEpisodes(r.folder.Generation(newest).Episodes(), r.Game); err == nil {
			seed = h.Seed
		}
	}
	switch err := r.Config.CheckOptimizer(c.Weights, c.Optimizer); {
	case c.Weights.Config != r.Config.Net.Inference():
		return fmt.Errorf("%s is gone, and this is not the configuration that the run began with: net is %+v; checkpoint %d has %+v", rundir.ConfigFile, r.Config.Net, newest, c.Weights.Config)
	case seed != r.Config.Seed:
		return fmt.Errorf("%s is gone, and this is not the configuration that the run began with: seed is %d; the games of generation %d have %d", rundir.ConfigFile, r.Config.Seed, newest, seed)
	case err != nil:
		return fmt.Errorf("%s is gone, and this is not the configuration that the run began with: %w", rundir.ConfigFile, err)
	}
	r.Log.Warn("the run's configuration was gone; it goes on with the one given")
	return nil
}
