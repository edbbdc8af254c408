package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"unsafe"

	"tiro/env"
	"tiro/internal/portable"
	"tiro/selfplay"
)

// stride is how many actions lie between the positions that are kept of a game.
// One of Coerceo takes 2 KB, which is 70 bytes an action.
const stride = 32

// record is a game in a Buffer: all of a selfplay.Episode that is learned from,
// without loss, in half the memory.
type record struct {
	actions    []uint16
	samples    []sample
	policies   []selfplay.PolicyEntry // of the samples, one after the other
	result     env.Value
	noResign   bool        // selfplay.Episode's
	terminated bool        // the game was resigned: nobody knows how far its end was
	positions  []env.State // after 0, stride, 2·stride, … actions
	final      env.State   // the final position, or nil
	surprise   []float32   // running sums over the samples of Sample.KL; nil if it is not kept or always 0
}

// sample is a selfplay.Sample without its policy.
type sample struct {
	ply   int32                 // the position is the one after so many actions
	end   int32                 // end of its policy in record.policies; it begins where the one before ends
	value [env.MaxPlayers]int16 // payoff by seat that the search expected, in units of 1/selfplay.Scale
}

// newRecord returns the record of a game, without positions and surprise.
func newRecord(e *selfplay.Episode) record {
	entries := 0
	for i := range e.Samples {
		entries += len(e.Samples[i].Policy)
	}
	r := record{
		actions:    make([]uint16, len(e.Actions)),
		samples:    make([]sample, len(e.Samples)),
		policies:   make([]selfplay.PolicyEntry, 0, entries),
		result:     e.Result,
		noResign:   e.NoResign,
		terminated: e.Ending == selfplay.Resignation,
	}
	for i, a := range e.Actions {
		r.actions[i] = uint16(a)
	}
	for i := range e.Samples {
		from := &e.Samples[i]
		r.policies = append(r.policies, from.Policy...)
		r.samples[i] = sample{ply: int32(from.Ply), end: int32(len(r.policies))}
		for seat, v := range from.Value {
			r.samples[i].value[seat] = int16(math.Round(float64(v) * selfplay.Scale))
		}
	}
	return r
}

// replay sets s to the position after ply actions.
func (r *record) replay(s env.State, ply int) {
	nearest := ply / stride
	s.CopyFrom(r.positions[nearest])
	for _, a := range r.actions[nearest*stride : ply] {
		s.Play(env.Action(a))
	}
}

// policy returns the search's policy at sample number at.
func (r *record) policy(at int) []selfplay.PolicyEntry {
	from := int32(0)
	if at > 0 {
		from = r.samples[at-1].end
	}
	return r.policies[from:r.samples[at].end]
}

// value returns the payoff by seat that the search expected at sample number at,
// to the bit as the Episode had it.
func (r *record) value(at int) (v env.Value) {
	for seat, part := range r.samples[at].value {
		v[seat] = float32(float64(part) / selfplay.Scale)
	}
	return v
}

// discounted returns how much of the game's result counts at the position after
// ply actions, if each ply before the end takes the factor discount. How far the
// end of a resigned game would have been nobody knows; what its last search
// expected of the winner stands for the plies beyond.
func (r *record) discounted(ply int, discount float64) float64 {
	if discount == 1 {
		return 1
	}
	end := 1.0
	if r.terminated {
		last := r.value(len(r.samples) - 1)
		end = float64(slices.Max(last[:]))
	}
	return end * portable.Pow(discount, float64(len(r.actions)-ply))
}

// target returns what the wanted outcome of sample number at is mixed from.
func (r *record) target(at int, t *Targets) outcome {
	return outcome{
		result: r.result, value: r.value(at), valueWeight: t.SearchValueWeight,
		certainty: r.discounted(int(r.samples[at].ply), t.Discount),
	}
}

// surpriseSums returns running sums over the samples of a game of how far the
// search's policy was from the network's, nil if it never was.
func surpriseSums(samples []selfplay.Sample) []float32 {
	sums, sum := make([]float32, len(samples)), 0.0
	for i := range samples {
		sum += float64(samples[i].KL)
		sums[i] = float32(sum)
	}
	if sum == 0 {
		return nil
	}
	return sums
}

// drawSurprising returns a sample of the game, drawn in proportion to its
// surprise (policy surprise weighting, KataGo's docs/KataGoMethods.md). The
// record must hold surprise.
func (r *record) drawSurprising(rng *rand.Rand) int {
	last := len(r.surprise) - 1
	x := rng.Float64() * float64(r.surprise[last])
	return sort.Search(last, func(i int) bool { return float64(r.surprise[i]) > x })
}

// bytes returns the memory that the game takes. Its first position is shared by
// all games.
func (r *record) bytes() int64 {
	n := recordBytes + bytesOf(r.actions) + bytesOf(r.samples) + bytesOf(r.policies) + bytesOf(r.positions) + bytesOf(r.surprise) +
		int64(len(r.positions)-1)*int64(env.Size(r.positions[0]))
	if r.final != nil {
		n += int64(env.Size(r.final))
	}
	return n
}

// recordBytes is the size of a record itself and of its place in Buffer.starts.
const recordBytes = int64(unsafe.Sizeof(record{}) + unsafe.Sizeof(int(0)))

// bytesOf returns the memory of the elements of s.
func bytesOf[T any](s []T) int64 { return int64(len(s)) * sizeOf[T]() }

func sizeOf[T any]() int64 { return int64(unsafe.Sizeof(*new(T))) }
