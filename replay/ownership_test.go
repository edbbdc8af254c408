package replay

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// ownershipOfImage plays the image of a game under symmetry n to its end, and returns the
// ownership targets of the position at the given row and the scores.
func ownershipOfImage(game env.Game, e *selfplay.Episode, row int, n int, s env.Symmetry) (ownership []int8, scores []float32) {
	at, end := game.New(), game.New()
	for ply, state := range map[int]env.State{e.Samples[row].Ply: at, len(e.Actions): end} {
		if image, ok := state.(interface{ SetImage(env.State, int) }); ok {
			image.SetImage(game.New(), n)
		}
		for _, a := range e.Actions[:ply] {
			state.Play(s.Action[a])
		}
	}
	spec := game.Spec()
	ownership = make([]int8, spec.Cells())
	bySeat := end.(env.OwnershipScorer).Ownership(ownership, at)
	for i := range spec.Players {
		scores = append(scores, bySeat[(int(at.Turn())+i)%spec.Players])
	}
	return ownership, scores
}

// TestFillOwnership: the ownership targets of a sample equal the targets of the game's image
// under the symmetry, played to its end.
func TestFillOwnership(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo:maxplies=80", "shacru:players=3"} {
		t.Run(name, func(t *testing.T) {
			game := gameOf(t, name)
			spec := game.Spec()
			episodes := randomGames(t, game, 3)
			b := NewBuffer(game, Keep{FinalPositions: true}, 0)
			b.Add(episodes)
			requireBytes(t, &b)
			sampler, trainer := samplerOf(t, game, 48, true)
			sampler.Fill(&b, 0, b.Len(), env.NewRand(5))
			batch := trainer.Batch()
			for i, d := range sampler.draws {
				e := &episodes[slices.IndexFunc(b.games, func(r record) bool { return &r.samples[0] == &d.game.samples[0] })]
				n := slices.IndexFunc(sampler.symmetries, func(s env.Symmetry) bool { return &s.Action[0] == &d.symmetry.Action[0] })
				ownership, scores := ownershipOfImage(game, e, d.at, n, *d.symmetry)
				require.Equal(t, ownership, batch.Ownership[i*spec.Cells():(i+1)*spec.Cells()])
				require.Equal(t, scores, batch.Score[i*spec.Players:(i+1)*spec.Players])
			}
			_, err := trainer.Step(1e-3)
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(5, func() { sampler.fillers[0].fill(7, &sampler.draws[7], &sampler.targets) }))
		})
	}
}

// TestResignedGames: resigned games have no ownership targets.
func TestResignedGames(t *testing.T) {
	game := gameOf(t, "connect4")
	e := randomGames(t, game, 1)[0]
	e.Actions = e.Actions[:len(e.Actions)-1]
	e.Samples = slices.DeleteFunc(e.Samples, func(r selfplay.Sample) bool { return r.Ply >= len(e.Actions) })
	b := NewBuffer(game, Keep{FinalPositions: true}, 0)
	b.Add([]selfplay.Episode{e})
	sampler, trainer := samplerOf(t, game, 16, true)
	sampler.Fill(&b, 0, b.Len(), env.NewRand(5))
	batch := trainer.Batch()
	require.Equal(t, slices.Repeat([]int8{env.NoOwnership}, 16*42), batch.Ownership)
	loss, err := trainer.Step(1e-3)
	require.NoError(t, err)
	require.Zero(t, loss.Ownership)
	require.Zero(t, loss.Score)
	require.Positive(t, loss.Policy)
}
