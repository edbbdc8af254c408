package arena

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/env"
	"tiro/env/games"
	"tiro/player"
	"tiro/player/clock"
)

// slowPlayer plays the first legal action after a time on a clock of the test.
type slowPlayer struct {
	now    *time.Time
	takes  time.Duration
	clocks []clock.Time // of its seat, at the beginning of its turns
	moves  []int
}

func (p *slowPlayer) Name() string { return "slow" }

func (p *slowPlayer) SetClocks(g *clock.Game, moves int) {
	p.clocks, p.moves = append(p.clocks, g.Seats()[g.Turn()].Time()), append(p.moves, moves)
}

func (p *slowPlayer) Choose(_ context.Context, s env.State, _ []env.Action, _ *rand.Rand) (env.Action, error) {
	*p.now = p.now.Add(p.takes)
	return s.Legal(nil)[0], nil
}

// clocked returns a match whose players take the given times for each action.
func clocked(t *testing.T, name, control string, takes ...time.Duration) (m Match, made *[]*slowPlayer) {
	t.Helper()
	game, err := games.New(name)
	require.NoError(t, err)
	now := time.Unix(0, 0)
	m = Match{Game: game, Seed: 1, Workers: 1, Opening: 2, Clock: player.Clock{Now: func() time.Time { return now }}}
	made = new([]*slowPlayer)
	for i, d := range takes {
		s := player.Spec{Alias: string(rune('a' + i))}
		if control != "" {
			require.NoError(t, s.Clock.UnmarshalText([]byte(control)))
		}
		m.Players = append(m.Players, player.Factory{Spec: s, New: func() (player.Player, error) {
			p := &slowPlayer{now: &now, takes: d}
			*made = append(*made, p)
			return p, nil
		}})
	}
	m.Games = m.Group()
	return m, made
}

// A player that exceeds its time forfeits the game, and one that keeps to it, or to the margin,
// does not.
func TestLossOnTime(t *testing.T) {
	for control, lost := range map[string]bool{
		"tc=1": true, "tc=1+0.2": true, "tc=1,timemargin=99": true, "st=0.3": true, "tc=3/1": true,
		"tc=1+0.4": false, "tc=1,timemargin=9000": false, "st=0.4": false, "st=0.1,timemargin=300": false, "tc=2/1": false, "": false,
	} {
		m, _ := clocked(t, "connect4", control, 400*time.Millisecond, time.Millisecond)
		report, err := Play(t.Context(), m)
		require.NoError(t, err)
		if !lost {
			require.Zero(t, report.Endings[TimeForfeit], control)
			continue
		}
		require.Equal(t, map[string]int{TimeForfeit: 2}, report.Endings, control)
		for _, r := range report.Records {
			require.Equal(t, 0, r.Seating[r.Forfeit.Seat])
			require.Equal(t, []float32{-1, 1}, []float32{r.Result[r.Forfeit.Seat], r.Result[1-r.Forfeit.Seat]})
			require.Contains(t, r.Forfeit.Reason, "loss on time: 400ms used")
		}
		require.Contains(t, report.String(), "endings   time-forfeit ×2")
		require.Contains(t, report.String(), "forfeit   game 0, by a: loss on time")
	}
}

// Every seat has a clock, also the two seats of one player, and it gets its increment once for
// each turn of several actions.
func TestClocksOfSeats(t *testing.T) {
	m, made := clocked(t, "pacru:players=3", "tc=100+1", 100*time.Millisecond, time.Second)
	m.Adjudication.MaxPlies = 30
	m.Games = 3
	report, err := Play(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, map[string]int{LengthLimit: 3}, report.Endings)
	require.Len(t, *made, 3)
	for i, p := range *made {
		require.Equal(t, clock.Time{Left: 101 * time.Second, Increment: time.Second}, p.clocks[0])
		for j := 1; j < len(p.clocks); j++ {
			before, now := p.clocks[j-1], p.clocks[j]
			if p.moves[j] > p.moves[j-1] {
				require.Equal(t, p.clocks[0], now, "another game")
				continue
			}
			actions := (before.Left + before.Increment - now.Left) / p.takes
			require.Positive(t, actions, "player %d", i)
			require.Zero(t, (before.Left+before.Increment-now.Left)%p.takes)
		}
	}
}

func TestClocksNeedAClock(t *testing.T) {
	m, _ := clocked(t, "connect4", "tc=1", 0, 0)
	m.Clock = player.Clock{}
	_, err := Play(t.Context(), m)
	require.ErrorContains(t, err, "player 1 has a time control")
}

// Games under clocks are never mixed with others in a record, and losses on time are read back.
func TestRecordsOfClocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.jsonl")
	for i, control := range []string{"tc=1", "tc=1,timemargin=5", "", "st=1", "tc=1"} {
		m, _ := clocked(t, "connect4", control, 600*time.Millisecond, time.Millisecond)
		log, err := OpenGameLog(disk.OS{}, path, m.Game)
		require.NoError(t, err)
		require.NoError(t, log.Resume(&m, Builder{}))
		require.Len(t, m.Finished, []int{0, 0, 0, 0, 2}[i])
		report, err := Play(t.Context(), m)
		require.NoError(t, err)
		require.Equal(t, control == "tc=1" || i == 1, report.Endings[TimeForfeit] == 2)
		require.Len(t, log.Matches, min(i+1, 4))
		require.NoError(t, log.Close())
	}
}
