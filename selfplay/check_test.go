package selfplay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// resigning returns a job with resignation.
func resigning(t *testing.T) selfplay.Job {
	job := newJob(newGame(t, "mnk"))
	job.Config.Resign = selfplay.Resign{ConsecutiveMoves: 2, NoResignProbability: 0.3, MaxFalsePositiveRate: 0.5}
	job.ResignThreshold = 0.15
	return job
}

// TestCheckAcceptsGamesOfTheJob: Check accepts every game played by the job.
func TestCheckAcceptsGamesOfTheJob(t *testing.T) {
	for _, job := range []selfplay.Job{newJob(three()), newJob(newGame(t, "mnk")), resigning(t)} {
		for _, e := range play(t, job) {
			require.NoError(t, job.Check(&e), "game %d of %s", e.Game, job.Game.Spec().Name)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	job := resigning(t)
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
	resigned := func(e *selfplay.Episode) bool { return e.Ending == selfplay.Resignation }
	opened := func(e *selfplay.Episode) bool { return e.Opening > 0 }
	for _, test := range []struct {
		name  string
		suits func(e *selfplay.Episode) bool
		forge func(e *selfplay.Episode)
		want  string
	}{
		{"another number", resigned, func(e *selfplay.Episode) { e.Game = job.Games }, "game is 24"},
		{"another opening", opened, func(e *selfplay.Episode) { e.Actions = append([]env.Action{e.Actions[0] ^ 1}, e.Actions[1:]...) }, "does not match the seed's opening"},
		{"no opening", opened, func(e *selfplay.Episode) { e.Opening = 0 }, "does not match the seed's opening"},
		{"played to its end", resigned, func(e *selfplay.Episode) { e.NoResign = true }, "the seed determines false"},
		{"missing sample", resigned, func(e *selfplay.Episode) { e.Samples = e.Samples[1:] }, "for 6 moves"},
		{"sample more", resigned, func(e *selfplay.Episode) {
			e.Samples = append(append([]selfplay.Sample(nil), e.Samples...), selfplay.Sample{Ply: len(e.Actions)})
		}, "for 6 moves"},
		{"sample of another ply", resigned, func(e *selfplay.Episode) {
			e.Samples = append([]selfplay.Sample(nil), e.Samples...)
			e.Samples[0].Ply++
		}, "samples[0].ply is"},
		{"doubtful value", resigned, func(e *selfplay.Episode) {
			e.Samples = append([]selfplay.Sample(nil), e.Samples...)
			e.Samples[len(e.Samples)-1].Value = env.Value{}
		}, "the searches do not decide the game"},
		{"other winner", resigned, func(e *selfplay.Episode) { e.Result[0], e.Result[1] = e.Result[1], e.Result[0] }, "the searches expected seat"},
		{"plays on", func(e *selfplay.Episode) bool { return !e.NoResign && len(e.Samples) > 2 }, func(e *selfplay.Episode) {
			e.Samples = append([]selfplay.Sample(nil), e.Samples...)
			e.Samples[0].Value, e.Samples[1].Value = env.WinFor(0, 2), env.WinFor(0, 2)
		}, "the game is decided after ply"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := find(test.suits)
			test.forge(&e)
			require.ErrorContains(t, job.Check(&e), test.want)
		})
	}
}
