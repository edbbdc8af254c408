package arena

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/mcts"
	"tiro/player"
)

// TestEffort checks that a match counts its players' nodes and measures their time.
func TestEffort(t *testing.T) {
	game := ticTacToe(t)
	m := Match{Game: game, Games: 20, Seed: 1, Workers: 1, concurrent: 1, Players: []player.Factory{
		searching("uniform", game, player.NetworkConfig(8), func() mcts.Evaluator { return mcts.Uniform{} }), player.Must(nil, "random"),
	}}
	plain, err := Play(t.Context(), m)
	require.NoError(t, err)
	cpu := time.Duration(0)
	var now time.Time
	m.Clock = player.Clock{Now: func() time.Time { now = now.Add(2 * time.Millisecond); return now }, CPU: func() time.Duration {
		cpu += time.Millisecond
		return cpu
	}}
	measured, err := Play(t.Context(), m)
	require.NoError(t, err)

	plies := 0
	for _, g := range plain.Records {
		plies += len(g.Moves)
	}
	searcher, random := measured.Players[0].Effort, measured.Players[1].Effort
	require.Equal(t, plies, searcher.Moves+random.Moves)
	require.Positive(t, searcher.Nodes)
	require.LessOrEqual(t, searcher.Nodes, int64(8*searcher.Moves))
	require.Zero(t, random.Nodes)
	require.Equal(t, 2*time.Millisecond*time.Duration(searcher.Moves), searcher.Wall)
	require.Equal(t, time.Millisecond*time.Duration(random.Moves), random.CPU)
	require.Regexp(t, `^effort    uniform: \d\.\d nodes, 2.000 ms, 1.000 ms CPU per action\neffort    random: 2.000 ms, 1.000 ms CPU per action\n$`, measured.Efforts())
	require.Regexp(t, `^effort    uniform: \d\.\d nodes per action\n$`, plain.Efforts())
	require.Equal(t, "no actions", Effort{}.String())

	for i := range measured.Players { // the rest does not depend on the clock
		e := &measured.Players[i].Effort
		e.Wall, e.CPU, e.timed = 0, 0, 0
		for g := range measured.Records {
			e := &measured.Records[g].Effort[i]
			e.Wall, e.CPU, e.timed = 0, 0, 0
		}
	}
	require.Equal(t, plain, measured)
}

// TestTrainedFor checks that the report names the games for which networks were trained.
func TestTrainedFor(t *testing.T) {
	game := ticTacToe(t)
	network, err := player.Searching("net", game, player.NetworkConfig(2), 0, player.Network{Evaluator: func() mcts.Evaluator { return mcts.Uniform{} }, TrainedFor: "mnk:k=2"})
	require.NoError(t, err)
	report, err := Play(t.Context(), Match{Game: game, Games: 2, Workers: 1, Players: []player.Factory{network, player.Must(nil, "random")}})
	require.NoError(t, err)
	require.Equal(t, "mnk:k=2", report.Players[0].TrainedFor)
	require.Empty(t, report.Players[1].TrainedFor)
}
