package study

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/fsck"
	"tiro/models"
	"tiro/models/bundled"
	"tiro/models/card"
	"tiro/net"
	"tiro/net/nettest"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/train"
)

// TestWarmStart: a run that begins with the network of another one has that and nothing
// else of it, is the same whether the network comes from the run or from its card, counts
// from 0, and remembers the cost of the network, also as the second of such a chain.
func TestWarmStart(t *testing.T) {
	run := trained(t)
	cpu := time.Duration(0)
	run.CPU = func() time.Duration { cpu += time.Second; return cpu }
	run.Generations = 3
	require.NoError(t, train.Run(t.Context(), run))
	old, err := Open(run.Dir, games.New)
	require.NoError(t, err)
	fromRun, err := old.Trained()
	require.NoError(t, err)

	// The card of the run, read back.
	folder := t.TempDir()
	var text bytes.Buffer
	c := fromRun.Card
	c.Commands, c.Rated = []string{"tiro"}, card.Setup{Tiro: "v1", Machine: "m", Backend: "go", Simulations: 1, Anchor: "random"}
	require.NoError(t, c.Write(&text))
	require.NoError(t, os.WriteFile(filepath.Join(folder, card.File), text.Bytes(), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(folder, models.WeightsFile), old.weights, 0o666))
	model, err := bundled.Open(os.DirFS(folder))
	require.NoError(t, err)
	fromCard := Trained{Card: model.Card}
	fromCard.Weights, err = model.Weights(run.Game.Spec())
	require.NoError(t, err)

	warm := func(from Trained, generations int) train.Options {
		o := run
		o.Dir, o.Generations = filepath.Join(t.TempDir(), "warm"), generations
		o.Config, err = from.Config()
		require.NoError(t, err)
		require.NoError(t, WarmStart(t.Context(), &from, nil, o))
		require.ErrorContains(t, WarmStart(t.Context(), &from, nil, o), "already exists")
		w, info, err := rundir.OpenNetwork(disk.OS{}, o.Dir, games.New)
		require.NoError(t, err)
		require.Zero(t, info.Generation)
		require.Equal(t, from.Weights.Flat(), w.Flat())
		require.NoError(t, train.Run(t.Context(), o))
		report, err := fsck.Verify(t.Context(), fsck.Options{Path: o.Dir, Find: games.New})
		require.NoError(t, err)
		require.True(t, report.OK(), "%+v", report.Parts)
		return o
	}
	a, b := warm(fromRun, 2), warm(fromCard, 2)
	sum := func(dir, file string) models.File {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		require.NoError(t, err)
		return models.Measure(data)
	}
	for _, file := range []string{"origin.json", "checkpoints/000002/weights.safetensors", "checkpoints/000002/optimizer.safetensors"} {
		require.Equal(t, sum(a.Dir, file), sum(b.Dir, file), file)
	}

	// Its cost is the sum of both runs.
	second, err := Open(a.Dir, games.New)
	require.NoError(t, err)
	trained, err := second.Trained()
	require.NoError(t, err)
	d := trained.Card
	require.Equal(t, 2, d.Generation)
	require.Equal(t, 3, card.Before(d.Origins))
	require.Greater(t, d.Samples, c.Samples)
	require.Greater(t, d.CoreHours, c.CoreHours)
	require.Positive(t, c.CoreHours)
	lines, err := rundir.At(disk.OS{}, a.Dir).Metrics()
	require.NoError(t, err)
	require.Equal(t, c.Games+lines[0].Games+lines[1].Games, d.Games)
	require.Contains(t, d.Markdown(), "2 generations, after 3 in earlier runs")

	third := warm(trained, 1)
	last, err := Open(third.Dir, games.New)
	require.NoError(t, err)
	require.Len(t, last.Origins, 2)
	require.Equal(t, d.Cost, card.Start(last.Origins))
	require.Equal(t, 5, card.Before(last.card().Origins))
	require.Greater(t, last.card().Games, d.Games)
	require.Equal(t, d.Trained, last.card().Trained, "the same program")

	// The network can only grow.
	other := run
	other.Dir += "-larger"
	other.Config.Net.Channels *= 2
	require.NoError(t, WarmStart(t.Context(), &fromCard, nil, other))
	grown, err := rundir.At(disk.OS{}, other.Dir).Store(run.Game.Spec()).Load(0)
	require.NoError(t, err)
	x := nettest.Fill(make([]float32, run.Game.Spec().Inputs()), env.NewRand(1))
	policy, outcome := nettest.New(fromCard.Weights).Run(x)
	grownPolicy, grownOutcome := nettest.New(grown.Weights).Run(x)
	require.InDeltaSlice(t, policy, grownPolicy, 1e-6)
	require.InDeltaSlice(t, outcome, grownOutcome, 1e-6)
	other.Dir += "-smaller"
	other.Config.Net.Channels /= 4
	require.ErrorContains(t, WarmStart(t.Context(), &fromCard, nil, other), "grow: channels is")
	other.Config = run.Config
	other.Game, err = games.New("connect4")
	require.NoError(t, err)
	other.Config.Game = "connect4"
	require.ErrorContains(t, WarmStart(t.Context(), &fromCard, nil, other), "or a variant of it")
	_, err = os.Stat(other.Dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestAverage: an average has the mean weights of networks that began as the same network, and the
// cost of all of them.
func TestAverage(t *testing.T) {
	run := trained(t)
	parent, err := OpenTrained(run.Dir, true, games.New)
	require.NoError(t, err)
	child := func(seed uint64, generations int) *Trained {
		o := run
		o.Dir, o.Config.Seed, o.Generations = filepath.Join(t.TempDir(), "child"), seed, generations
		require.NoError(t, WarmStart(t.Context(), parent, nil, o))
		require.NoError(t, train.Run(t.Context(), o))
		c, err := OpenTrained(o.Dir, true, games.New)
		require.NoError(t, err)
		return c
	}
	a, b, c := child(2, 1), child(3, 2), child(4, 1)
	before := slices.Clone(a.Weights.Flat())
	mean, err := a.Average([]*Trained{b, c})
	require.NoError(t, err)
	require.Equal(t, before, a.Weights.Flat())
	for i, x := range mean.Weights.Flat() {
		require.InDelta(t, (before[i]+b.Weights.Flat()[i]+c.Weights.Flat()[i])/3, x, 1e-6)
	}
	own := func(x *Trained) int { return x.Card.Games - parent.Card.Games }
	require.Equal(t, parent.Card.Games+own(a)+own(b)+own(c), mean.Card.Games)

	// A run begins with it, can be rated at once and averaged again.
	o := run
	o.Dir, o.Generations = filepath.Join(t.TempDir(), "merged"), 1
	o.Config, err = mean.Config()
	require.NoError(t, err)
	require.NoError(t, WarmStart(t.Context(), &mean, nil, o))
	merged, err := OpenTrained(o.Dir, true, games.New)
	require.NoError(t, err)
	require.Equal(t, mean.Weights.Flat(), merged.Weights.Flat())
	require.Equal(t, mean.Card.Games, merged.Card.Games)
	require.Equal(t, parent.Card.Generation+1+2+1, card.Before(merged.Card.Origins))
	require.Contains(t, merged.Card.Markdown(), "averaged with 2 of other runs")
	require.NoError(t, train.Run(t.Context(), o))
	report, err := fsck.Verify(t.Context(), fsck.Options{Path: o.Dir, Find: games.New})
	require.NoError(t, err)
	require.True(t, report.OK(), "%+v", report.Parts)

	for _, pair := range [][2]*Trained{{a, parent}, {a, merged}, {parent, parent}} {
		_, err = pair[0].Average([]*Trained{pair[1]})
		require.ErrorContains(t, err, pair[0].name+" and "+pair[1].name+" are not warm starts of the same network")
	}
	wide := *b
	wider := b.Weights.Config
	wider.Channels++
	wide.Weights = net.NewWeights(run.Game.Spec(), wider, env.NewRand(1))
	_, err = a.Average([]*Trained{&wide})
	require.ErrorContains(t, err, "differ: mnk, {Channels:")

	// The origins of averaged runs are checked.
	folder := rundir.At(disk.OS{}, o.Dir)
	text, err := os.ReadFile(folder.Path(rundir.OriginFile))
	require.NoError(t, err)
	at := bytes.Index(text, []byte(`"averaged"`))
	for old, damage := range map[string]string{`"generation": 2`: `"generation": -2`, `seed: 3`: `seed: 33`, `"generation": 2,`: `"generation": 2, "averaged": [{}],`} {
		damaged := string(text[:at]) + strings.Replace(string(text[at:]), old, damage, 1)
		require.NotEqual(t, string(text), damaged)
		require.NoError(t, os.WriteFile(folder.Path(rundir.OriginFile), []byte(damaged), 0o666))
		_, err := recipe.Origins(folder)
		require.ErrorContains(t, err, "averaged[0]", old)
	}
}

// TestRunWithCard: a run folder that contains a card is still a run.
func TestRunWithCard(t *testing.T) {
	run := trained(t)
	require.NoError(t, os.WriteFile(filepath.Join(run.Dir, card.File), nil, 0o666))
	model, err := OpenTrained(run.Dir, false, games.New)
	require.NoError(t, err)
	require.Nil(t, model)
	model, err = OpenTrained(run.Dir, true, games.New)
	require.NoError(t, err)
	require.Equal(t, run.Generations, model.Card.Generation)
}

// TestWarmStartOnAnotherBoard: a network continues on a board of another size, but a run with its
// games does not.
func TestWarmStartOnAnotherBoard(t *testing.T) {
	run := trained(t)
	old, err := Open(run.Dir, games.New)
	require.NoError(t, err)
	from, err := old.Trained()
	require.NoError(t, err)
	o := run
	o.Dir, o.Generations = filepath.Join(t.TempDir(), "warm"), 1
	o.Config, err = from.Config()
	require.NoError(t, err)
	o.Game, err = games.New("mnk:m=4,n=5")
	require.NoError(t, err)
	o.Config.Game = o.Game.Spec().Name
	require.NoError(t, WarmStart(t.Context(), &from, nil, o))
	require.NoError(t, train.Run(t.Context(), o))
	report, err := fsck.Verify(t.Context(), fsck.Options{Path: o.Dir, Find: games.New})
	require.NoError(t, err)
	require.True(t, report.OK(), "%+v", report.Parts)

	origin, err := OpenOrigin(run.Dir, games.New)
	require.NoError(t, err)
	f := Fork{From: origin, Game: o.Game, Config: origin.Config, Dir: filepath.Join(t.TempDir(), "fork")}
	f.Config.Game = o.Config.Game
	require.ErrorContains(t, f.Validate(), "only the network alone, without the games, can change the size of the board")
}
