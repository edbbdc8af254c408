package pacru

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenRecord is a position with its complete turns (7.3).
type goldenRecord struct {
	ID, Game, Pos, Move, After string
	Players, Mover             int
	Next                       [][3]string                    // move, hash after, flag
	Distinct                   int                            `json:"n_next"`
	SpotTurns                  uint64                         `json:"n_reorient"`
	Spot                       struct{ Chev, Cells []string } `json:"reorient"`
	SpotSample                 [][2]string                    `json:"reorient_sample"` // move, hash after
	Over                       bool
	Winners, Scores, Chevrons  []int

	rules *Game // shared by all records of the same game and number of players
}

func golden(t testing.TB) (all []goldenRecord) {
	t.Helper()
	file, err := os.Open("testdata/positions.jsonl.gz")
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	scan := bufio.NewScanner(z)
	scan.Buffer(nil, 1<<22)
	made := map[string]*Game{}
	for scan.Scan() {
		var r goldenRecord
		require.NoError(t, json.Unmarshal(scan.Bytes(), &r))
		name := r.Game
		if name == "pacru11" {
			name = "pacru:meeting=9"
		}
		name = withPlayers(name, r.Players)
		if made[name] == nil {
			made[name] = newGameOf(t, name)
		}
		r.rules = made[name]
		all = append(all, r)
	}
	require.NoError(t, scan.Err())
	require.Equal(t, 2010, len(all))
	return all
}

// hash returns the digest of a position string (7.1).
func hash(position string) string {
	sum := sha256.Sum256([]byte(position))
	return hex.EncodeToString(sum[:8])
}

// state returns a new state of the record's game at its position.
func (r *goldenRecord) state(t testing.TB) *State {
	t.Helper()
	s := r.rules.New().(*State)
	require.NoError(t, s.SetPosition(r.Pos), r.ID)
	return s
}

// TestGoldenPositions compares every complete turn of every record, including the flags d,
// f and t, since all turns are legal by the rulings.
func TestGoldenPositions(t *testing.T) {
	for _, r := range golden(t) {
		s := r.state(t)
		require.Equal(t, r.Pos, s.Position(), r.ID)
		require.EqualValues(t, r.Mover, s.Turn(), r.ID)
		want, got := map[string]string{}, map[string]string{}
		for _, n := range r.Next {
			want[n[0]] = n[1]
		}
		distinct := map[string]bool{}
		for _, turn := range s.Turns() {
			got[turn.Move] = hash(turn.After.Position())
			distinct[got[turn.Move]] = true
			actions, err := s.ParseTurn(turn.Move)
			require.NoError(t, err, r.ID)
			require.Equal(t, turn.Actions, actions, r.ID)
		}
		require.Equal(t, want, got, "%s %s", r.ID, r.Pos)
		require.Len(t, distinct, r.Distinct, r.ID)
		require.Equal(t, r.SpotTurns, s.SpotTurns(), r.ID)
		for _, sample := range r.SpotSample {
			require.Equal(t, sample[1], hash(after(t, s, sample[0]).Position()), "%s %s", r.ID, sample[0])
		}
		checkChosen(t, r, after(t, s, r.Move))
	}
}

// after returns the position after a complete turn.
func after(t testing.TB, s *State, turn string) *State {
	t.Helper()
	actions, err := s.ParseTurn(turn)
	require.NoError(t, err)
	c := new(State)
	c.CopyFrom(s)
	for _, a := range actions {
		require.Contains(t, c.Legal(nil), a)
		c.Play(a)
	}
	require.Equal(t, turn, c.LastTurn())
	return c
}

// checkChosen compares the position after the record's turn with the record.
func checkChosen(t *testing.T, r goldenRecord, s *State) {
	require.Equal(t, r.After, s.Position(), r.ID)
	v, over := s.Result()
	require.Equal(t, r.Over, over, r.ID)
	places := s.Ranking()
	winners := []int{}
	for p := range r.Players {
		require.Equal(t, r.Scores[p], s.marks[p].len(), r.ID)
		require.EqualValues(t, r.Chevrons[p], s.count[p], r.ID)
		if over && v[p] > -1/float32(r.Players-1) {
			winners = append(winners, p)
			require.EqualValues(t, 1, places[p], r.ID)
		}
	}
	require.Equal(t, r.Winners, winners, r.ID)
}
