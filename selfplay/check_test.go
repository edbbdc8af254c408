package selfplay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// TestCheckAcceptsGamesOfTheJob: Check accepts every game played by the job.
func TestCheckAcceptsGamesOfTheJob(t *testing.T) {
	for _, job := range []selfplay.Job{newJob(three()), newJob(newGame(t, "mnk"))} {
		for _, e := range play(t, job) {
			require.NoError(t, job.Check(&e), "game %d of %s", e.Game, job.Game.Spec().Name)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	episodes := play(t, job)
	find := func(suits func(e *selfplay.Episode) bool) selfplay.Episode {
		for _, e := range episodes {
			if suits(&e) {
				return e
			}
		}
		require.Fail(t, "no such game")
		return selfplay.Episode{}
	}
	unopened := func(e *selfplay.Episode) bool { return e.Opening == 0 && len(e.Actions) == 7 }
	opened := func(e *selfplay.Episode) bool { return e.Opening > 0 }
	for _, test := range []struct {
		name  string
		suits func(e *selfplay.Episode) bool
		forge func(e *selfplay.Episode)
		want  string
	}{
		{"another number", unopened, func(e *selfplay.Episode) { e.Game = job.Games }, "game is 24"},
		{"another opening", opened, func(e *selfplay.Episode) { e.Actions = append([]env.Action{e.Actions[0] ^ 1}, e.Actions[1:]...) }, "does not match the seed's opening"},
		{"no opening", opened, func(e *selfplay.Episode) { e.Opening = 0 }, "does not match the seed's opening"},
		{"resigned", unopened, func(e *selfplay.Episode) { e.Ending = selfplay.Resignation }, "are played to their end"},
		{"missing sample", unopened, func(e *selfplay.Episode) { e.Samples = e.Samples[1:] }, "for 7 moves"},
		{"sample more", unopened, func(e *selfplay.Episode) {
			e.Samples = append(append([]selfplay.Sample(nil), e.Samples...), selfplay.Sample{Ply: len(e.Actions)})
		}, "for 7 moves"},
		{"sample of another ply", unopened, func(e *selfplay.Episode) {
			e.Samples = append([]selfplay.Sample(nil), e.Samples...)
			e.Samples[0].Ply++
		}, "samples[0].ply is"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := find(test.suits)
			test.forge(&e)
			require.ErrorContains(t, job.Check(&e), test.want)
		})
	}
}
