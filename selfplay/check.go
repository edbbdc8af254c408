package selfplay

import (
	"fmt"
	"slices"
)

// Check returns an error if this job cannot have produced the game e. The game must have
// been read with Each, which replays it by the rules. Check verifies everything that
// follows from the job without a search: the opening, that each move after it has a sample,
// and that the game was played to its end.
//
// Check cannot verify that the searches used the job's network. Only playing the game again
// can.
func (j *Job) Check(e *Episode) error {
	if e.Game < 0 || e.Game >= j.Games {
		return fmt.Errorf("game is %d but must be 0 to %d", e.Game, j.Games-1)
	}
	if e.Ending == Resignation {
		return fmt.Errorf("ending is %q, but games of self-play are played to their end", e.Ending)
	}
	s := slot{job: j}
	s.prepare(e.Game)
	if want := &s.episode; e.Opening != want.Opening || !slices.Equal(e.Actions[:e.Opening], want.Actions) {
		return fmt.Errorf("opening of %d actions does not match the seed's opening of %d actions", e.Opening, want.Opening)
	}
	if got, want := len(e.Samples), len(e.Actions)-e.Opening; got != want {
		return fmt.Errorf("%d samples for %d moves", got, want)
	}
	for i := range e.Samples {
		if ply := e.Opening + i; e.Samples[i].Ply != ply {
			return fmt.Errorf("samples[%d].ply is %d, not %d", i, e.Samples[i].Ply, ply)
		}
	}
	return nil
}
