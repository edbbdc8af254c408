package train

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// fateLearnerOf returns a learner of a network with the head for fates.
func fateLearnerOf(t testing.TB, game env.Game, batch int) *learner {
	c := Default(game.Spec().Name).Learner
	c.Batch, c.Discount = batch, 0.9
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1, Fate: true}, env.NewRand(1))
	l, err := newLearner(game, c, kernel.Best(), w)
	require.NoError(t, err)
	return l
}

// fatesOfImage plays the image of a game under symmetry n to its end, and tells
// the fates of the cells that the row there is taught, and the margins.
func fatesOfImage(game env.Game, e *selfplay.Episode, row int, n int, s env.Symmetry) (fates []int8, margins []float32) {
	at, end := game.New(), game.New()
	for ply, state := range map[int]env.State{e.Rows[row].Ply: at, len(e.Actions): end} {
		if image, ok := state.(env.Imager); ok {
			image.SetImage(game.New(), n)
		}
		for _, a := range e.Actions[:ply] {
			state.Play(s.Action[a])
		}
	}
	spec := game.Spec()
	fates = make([]int8, spec.Cells())
	bySeat := end.(env.Fated).Fates(fates, at)
	for i := range spec.Players {
		margins = append(margins, bySeat[(int(at.Turn())+i)%spec.Players])
	}
	return fates, margins
}

// TestFillFates: what a row teaches the head for fates is what the end of the
// game's image tells.
func TestFillFates(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo:maxplies=80", "shacru:players=3"} {
		t.Run(name, func(t *testing.T) {
			game := gameOf(t, name)
			spec := game.Spec()
			episodes := randomGames(t, game, 3)
			b := NewBuffer(game, 0)
			b.ends = true
			b.Add(episodes)
			requireBytes(t, &b)
			l := fateLearnerOf(t, game, 48)
			l.fill(&b, 0, b.Len(), env.NewRand(5))
			batch := l.trainer.Batch()
			for i, d := range l.draws {
				e := &episodes[slices.IndexFunc(b.games, func(r record) bool { return &r.rows[0] == &d.game.rows[0] })]
				n := slices.IndexFunc(l.symmetries, func(s env.Symmetry) bool { return &s.Action[0] == &d.symmetry.Action[0] })
				fates, margins := fatesOfImage(game, e, d.row, n, *d.symmetry)
				require.Equal(t, fates, batch.Fate[i*spec.Cells():(i+1)*spec.Cells()])
				require.Equal(t, margins, batch.Margin[i*spec.Players:(i+1)*spec.Players])
			}
			_, err := l.trainer.Step(1e-3)
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(5, func() { l.fillRow(l.fillers[0], 7) }))
		})
	}
}

// TestGamesBrokenOff have no end to learn from.
func TestGamesBrokenOff(t *testing.T) {
	game := gameOf(t, "connect4")
	e := randomGames(t, game, 1)[0]
	e.Actions = e.Actions[:len(e.Actions)-1]
	e.Rows = slices.DeleteFunc(e.Rows, func(r selfplay.Row) bool { return r.Ply >= len(e.Actions) })
	b := NewBuffer(game, 0)
	b.ends = true
	b.Add([]selfplay.Episode{e})
	l := fateLearnerOf(t, game, 16)
	l.fill(&b, 0, b.Len(), env.NewRand(5))
	batch := l.trainer.Batch()
	require.Equal(t, slices.Repeat([]int8{env.NoFate}, 16*42), batch.Fate)
	loss, err := l.trainer.Step(1e-3)
	require.NoError(t, err)
	require.Zero(t, loss.Fate)
	require.Zero(t, loss.Margin)
	require.Positive(t, loss.Policy)
}
