package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
	"tiro/selfplay"
)

// auxLearnerOf returns a learner with all heads for learning alone.
func auxLearnerOf(t testing.TB, game env.Game, batch int) *learner {
	c := Default(game.Spec().Name).Learner
	c.Batch, c.Discount = batch, 0.9
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1, Aux: net.Aux{Fate: true, Reply: true, Soft: true}}, env.NewRand(1))
	l, err := newLearner(game, c, kernel.Best(), w)
	require.NoError(t, err)
	return l
}

// auxRow is what teaches the heads for learning alone in a row.
type auxRow struct {
	fates  []int8
	margin []float32
	reply  env.Action
}

// auxImageOf plays the image of a game under symmetry n to its end, and tells
// what the row there is taught.
func auxImageOf(game env.Game, e *selfplay.Episode, row int, n int, s env.Symmetry) auxRow {
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
	r := auxRow{fates: make([]int8, spec.Cells()), reply: -1}
	margin := end.(env.Fated).Fates(r.fates, at)
	for i := range spec.Players {
		r.margin = append(r.margin, margin[(int(at.Turn())+i)%spec.Players])
	}
	if next := e.Rows[row].Ply + 1; next < len(e.Actions) {
		r.reply = s.Action[e.Actions[next]]
	}
	return r
}

// TestFillAux: what a row teaches the heads for learning alone is what the end of
// the game's image tells, and how much it counts is by its surprise.
func TestFillAux(t *testing.T) {
	for _, name := range []string{"connect4", "coerceo:maxplies=80", "shacru:players=3"} {
		t.Run(name, func(t *testing.T) {
			game := gameOf(t, name)
			spec := game.Spec()
			episodes := randomGames(t, game, 3)
			b := NewBuffer(game, 0)
			b.ends = true
			b.Add(episodes)
			requireBytes(t, &b)
			l := auxLearnerOf(t, game, 48)
			l.fill(&b, 0, b.Len(), env.NewRand(5))
			batch := l.trainer.Batch()
			replies := 0
			for i, d := range l.draws {
				e := &episodes[slices.IndexFunc(b.games, func(r record) bool { return &r.rows[0] == &d.game.rows[0] })]
				n := slices.IndexFunc(l.symmetries, func(s env.Symmetry) bool { return &s.Action[0] == &d.symmetry.Action[0] })
				want := auxImageOf(game, e, d.row, n, *d.symmetry)
				require.Equal(t, want.fates, batch.Fate[i*spec.Cells():(i+1)*spec.Cells()])
				require.Equal(t, want.margin, batch.Margin[i*spec.Players:(i+1)*spec.Players])
				require.Equal(t, want.reply, batch.Reply[i])
				if want.reply >= 0 {
					replies++
				}
			}
			require.Greater(t, replies, 24)
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
	l := auxLearnerOf(t, game, 16)
	l.fill(&b, 0, b.Len(), env.NewRand(5))
	batch := l.trainer.Batch()
	require.Equal(t, slices.Repeat([]int8{env.NoFate}, 16*42), batch.Fate)
	loss, err := l.trainer.Step(1e-3)
	require.NoError(t, err)
	require.Zero(t, loss.Fate)
	require.Zero(t, loss.Margin)
	require.Positive(t, loss.Reply)
}

// TestBrokenOffWorth: the end of a game that was broken off is as far away as its
// last search says, and searches that found the last action decide nothing.
func TestBrokenOffWorth(t *testing.T) {
	game := gameOf(t, "connect4")
	e := selfplay.Episode{
		Actions: randomGames(t, game, 1)[0].Actions[:4], Result: env.Value{1, -1}, Ending: selfplay.Resignation, PlayOn: true,
		Rows: []selfplay.Row{{Ply: 1, Value: env.Value{0.7, -0.7}}, {Ply: 3, Value: env.Value{0.9, -0.9}}},
	}
	b := NewBuffer(game, 0)
	b.Add([]selfplay.Episode{e})
	r, _ := b.Row(0)
	require.InDelta(t, 0.9*0.5*0.5*0.5, r.certain(1, 0.5), 1e-6)
	require.Equal(t, 1., r.certain(1, 1))
	require.Equal(t, []selfplay.PlayedOn{{Values: []env.Value{{0.7, -0.7}}, Result: e.Result}}, b.playedOn())

	e.Ending = "four-in-row"
	b.Add([]selfplay.Episode{e})
	r, _ = b.Row(2)
	require.InDelta(t, 0.5*0.5*0.5, r.certain(1, 0.5), 1e-6)

	l := newLearnerOf(t, game, 8)
	l.config.Discount, l.config.ValueShare = 0.5, 0
	b.Trim(0, 0)
	l.fill(&b, 1, 1, env.NewRand(5))
	require.InDeltaSlice(t, []float32{0, 0.5, 0.5}, l.trainer.Batch().Outcome[:3], 1e-6, "the loser is on turn, one ply before the end")
}

// TestDrawsBySurprise: of a game's draws the share goes by how much the search
// changed the network's mind, the rest is even, and games are drawn as before.
func TestDrawsBySurprise(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, 0)
	b.surprises = true
	episodes := randomGames(t, game, 2)
	kl := [][]float32{{0, 0.1, 0.3, 0}, {0, 0}}
	for i := range episodes {
		episodes[i].Rows = episodes[i].Rows[:len(kl[i])]
		for j := range kl[i] {
			episodes[i].Rows[j].KL = kl[i][j]
		}
	}
	b.Add(episodes)
	requireBytes(t, &b)
	l := newLearnerOf(t, game, 64)
	l.config.Surprise = 0.5
	counts := [][]float64{make([]float64, 4), make([]float64, 2)}
	const batches = 500
	for i := range batches {
		l.fill(&b, 0, b.Len(), env.NewRand(5, uint64(i)))
		for _, d := range l.draws {
			g := 0
			if d.game == &b.games[1] {
				g = 1
			}
			counts[g][d.row] += 6. / (64 * batches) // an even draw counts 1
		}
	}
	require.InDeltaSlice(t, []float64{0.5, 1, 2, 0.5}, counts[0], 0.05)
	require.InDeltaSlice(t, []float64{1, 1}, counts[1], 0.05)
}

// TestAverage follows the mean of two weights in 64 bits.
func TestAverage(t *testing.T) {
	game := gameOf(t, "connect4")
	b := NewBuffer(game, 0)
	b.Add(randomGames(t, game, 4))
	c := Default("connect4").Learner
	c.Batch, c.Average = 16, 0.7
	w := net.NewWeights(game.Spec(), net.Config{Channels: 4, OutcomeChannels: 1, Aux: net.Aux{Soft: true}}, env.NewRand(1))
	l, err := newLearner(game, c, kernel.Best(), w)
	require.NoError(t, err)
	require.Equal(t, w.Playing().Flat(), l.playing().Flat(), "nothing is learned yet")
	want := make([]float64, l.playing().Parameters())
	for i := range want {
		want[i] = float64(w.Flat()[i])
	}
	for step := range 40 {
		_, err := l.learn(t.Context(), &b, step, 1, func(int) *rand.Rand { return env.NewRand(7, uint64(step)) }, func() {})
		require.NoError(t, err)
		keep := math.Min(0.7, float64(1+step)/float64(10+step)) // 0.7 from step 20 on
		for i := range want {
			want[i] = keep*want[i] + (1-keep)*float64(w.Flat()[i])
		}
		for i, x := range l.playing().Flat() {
			require.InDelta(t, want[i], x, 1e-5)
		}
	}
	require.NotEqual(t, w.Playing().Flat(), l.playing().Flat())
	require.Equal(t, net.Aux{}, l.playing().Config.Aux)
}
