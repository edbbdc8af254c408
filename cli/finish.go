package cli

import (
	"fmt"
	"math"
	"strings"

	"tiro/recipe"
	"tiro/rundir"
)

// finishShare is the default length of a cool-down, as a fraction of the generations before it.
const finishShare = 0.15

// planFinish plans a cool-down, in which the learning rate falls to 0, as the end of the run.
// Its length is --generations, or finishShare of the generations so far. A cool-down that has
// begun keeps its length.
func (o *trainOptions) planFinish(config *recipe.Config) error {
	for _, s := range o.set {
		if strings.HasPrefix(s, "learner.cooldown.") {
			return usage(fmt.Errorf("--set %s: --finish plans the cool-down; set its length with --generations", s))
		}
	}
	place, err := rundir.Resolve(o.disk, o.run)
	if err != nil {
		return err
	}
	if place.Kind != rundir.PlaceRun || place.Generation < 1 {
		return usage(fmt.Errorf("%s has no generation yet, so there is nothing to finish", o.run))
	}
	plan := &config.Learner.Cooldown
	under := plan.After <= place.Generation && place.Generation < plan.Last()
	finished := plan.Generations > 0 && place.Generation == plan.Last()
	switch {
	case under && o.generations != 0 && o.generations != plan.Generations:
		return usage(fmt.Errorf("--generations %d: the cool-down has already begun after generation %d and takes %d generations", o.generations, plan.After, plan.Generations))
	case under || finished && o.generations == 0:
	case o.generations == 0:
		*plan = recipe.Cooldown{After: place.Generation, Generations: max(1, int(math.Round(finishShare*float64(place.Generation))))}
	default:
		*plan = recipe.Cooldown{After: place.Generation, Generations: o.generations}
	}
	o.generations, config.CPUHours, plan.Share = plan.Last(), 0, 0
	return nil
}
