package train

import (
	"math"
	"slices"
	"unsafe"

	"tiro/env"
	"tiro/selfplay"
)

// record is a game in a Buffer: what is learned of a selfplay.Episode, to the
// bit, in half the memory.
type record struct {
	actions   []uint16
	rows      []row
	shares    []share // of the policies, row after row
	result    env.Value
	playOn    bool        // selfplay.Episode's
	brokenOff bool        // its result was taken for sure at the last row
	marks     []env.State // the positions after 0, stride, 2·stride, … actions
	end       env.State   // the final position, or nil
	surprises []float32   // running sums of how much the search changed the network's mind; nil if not at all
}

// row is a selfplay.Sample.
type row struct {
	ply   int32                 // the position is the one after so many actions
	end   int32                 // its shares are those before this one, from the end of the row before
	value [env.MaxPlayers]int16 // payoff by seat that the search expected, in units of 1/selfplay.Whole
}

// share is a selfplay.PolicyEntry.
type share struct{ action, part uint16 }

// maxActions is how many actions a game may have for a share to hold them.
const maxActions = 1 << 16

// stride is how many actions lie between the positions that are kept of a game.
// Coerceo's take 2 KB, which is 70 bytes an action.
const stride = 32

// pack returns the record of a game, without marks and what else a Buffer adds.
func pack(e *selfplay.Episode) record {
	shares := 0
	for i := range e.Samples {
		shares += len(e.Samples[i].Policy)
	}
	r := record{
		actions: make([]uint16, len(e.Actions)),
		rows:    make([]row, len(e.Samples)),
		shares:  make([]share, 0, shares),
		result:  e.Result,
		playOn:  e.NoResign,

		brokenOff: e.Ending == selfplay.Resignation,
	}
	for i, a := range e.Actions {
		r.actions[i] = uint16(a)
	}
	for i := range e.Samples {
		from := &e.Samples[i]
		for _, s := range from.Policy {
			r.shares = append(r.shares, share{s.Action, s.Weight})
		}
		r.rows[i] = row{ply: int32(from.Ply), end: int32(len(r.shares))}
		for seat, v := range from.Value {
			r.rows[i].value[seat] = int16(math.Round(float64(v) * selfplay.Scale))
		}
	}
	return r
}

// replay sets s to the position after ply actions.
func (r *record) replay(s env.State, ply int) {
	mark := ply / stride
	s.CopyFrom(r.marks[mark])
	for _, a := range r.actions[mark*stride : ply] {
		s.Play(env.Action(a))
	}
}

// policy returns what the search found at a row.
func (r *record) policy(row int) []share {
	from := int32(0)
	if row > 0 {
		from = r.rows[row-1].end
	}
	return r.shares[from:r.rows[row].end]
}

// value returns the payoff by seat that the search expected at a row, to the
// bit as the Episode had it.
func (r *record) value(row int) (v env.Value) {
	for seat, part := range r.rows[row].value {
		v[seat] = float32(float64(part) / selfplay.Scale)
	}
	return v
}

// certain returns how much of the result counts at the position after ply
// actions, if it is worth discount of it a ply earlier. How far the end of a
// game that was broken off would have been nobody knows; the search that ended
// it has expected of it what it is worth from there.
func (r *record) certain(ply int, discount float64) float64 {
	if discount == 1 {
		return 1
	}
	end := 1.0
	if r.brokenOff {
		last := r.value(len(r.rows) - 1)
		end = float64(slices.Max(last[:]))
	}
	return end * math.Pow(discount, float64(len(r.actions)-ply))
}

// bytes returns the memory that the game takes. The first mark is the start of
// all games.
func (r *record) bytes() int64 {
	n := recordBytes + uintptr(len(r.actions))*unsafe.Sizeof(r.actions[0]) +
		uintptr(len(r.rows))*unsafe.Sizeof(r.rows[0]) + uintptr(len(r.shares))*unsafe.Sizeof(r.shares[0]) +
		uintptr(len(r.marks))*unsafe.Sizeof(r.marks[0]) + uintptr((len(r.marks)-1)*env.Size(r.marks[0])) +
		uintptr(len(r.surprises))*unsafe.Sizeof(float32(0))
	if r.end != nil {
		n += uintptr(env.Size(r.end))
	}
	return int64(n)
}

// recordBytes is what a record takes itself, and its place among the starts.
const recordBytes = unsafe.Sizeof(record{}) + unsafe.Sizeof(int(0))

// episodeBytes returns the memory that games take as they are played.
func episodeBytes(episodes []selfplay.Episode) int64 {
	n := uintptr(0)
	for i := range episodes {
		e := &episodes[i]
		n += unsafe.Sizeof(*e) + uintptr(len(e.Actions))*unsafe.Sizeof(env.Action(0)) + uintptr(len(e.Samples))*unsafe.Sizeof(selfplay.Sample{})
		for j := range e.Samples {
			n += uintptr(len(e.Samples[j].Policy)) * unsafe.Sizeof(selfplay.PolicyEntry{})
		}
	}
	return int64(n)
}
