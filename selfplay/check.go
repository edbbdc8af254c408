package selfplay

import (
	"cmp"
	"fmt"
	"slices"
)

// Check returns an error if this job cannot have produced the game e. The game must have
// been read with a Reader, which replays it by the rules. Check verifies everything that
// follows from the job without a search: the opening, that each move after it has a sample,
// whether the game may end by resignation, and that the samples justify the resignation.
//
// Check cannot verify that the searches used the job's network. Only playing the game again
// can.
func (j *Job) Check(e *Episode) error {
	if e.Game < 0 || e.Game >= j.Games {
		return fmt.Errorf("game is %d but must be 0 to %d", e.Game, j.Games-1)
	}
	s := slot{job: j}
	s.prepare(e.Game)
	switch want := &s.episode; {
	case e.Opening != want.Opening || !slices.Equal(e.Actions[:e.Opening], want.Actions):
		return fmt.Errorf("opening of %d actions does not match the seed's opening of %d actions", e.Opening, want.Opening)
	case e.NoResign != want.NoResign:
		return fmt.Errorf("no_resign is %v, but the seed determines %v", e.NoResign, want.NoResign)
	}
	return cmp.Or(checkSamples(e), s.checkResignation(e))
}

// checkSamples returns an error unless each move after the opening has a sample.
func checkSamples(e *Episode) error {
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

// checkResignation returns an error unless a game ends by resignation exactly where its
// samples decide it.
func (s *slot) checkResignation(e *Episode) error {
	for i := range e.Samples {
		if !s.streak.add(e.Samples[i].Value) || e.NoResign {
			continue
		}
		if last := len(e.Actions) - 1; e.Samples[i].Ply != last {
			return fmt.Errorf("samples[%d]: the game is decided after ply %d, but continues to ply %d", i, e.Samples[i].Ply, last)
		}
		if e.Ending == Resignation && e.Result[s.streak.seat] != 1 {
			return fmt.Errorf("result is %v, but the searches expected seat %d to win", e.Result, s.streak.seat)
		}
		return nil
	}
	if e.Ending == Resignation {
		return fmt.Errorf("ending is %q, but the searches do not decide the game", Resignation)
	}
	return nil
}
