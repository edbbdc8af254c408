package replay

import (
	"math"
	"math/rand/v2"
	"sort"
	"unsafe"

	"tiro/env"
	"tiro/internal/portable"
	"tiro/selfplay"
)

// stride is the number of actions between stored positions of a game. A position of Coerceo
// takes 2 KB, or 70 bytes per action.
const stride = 32

// record is a game in a Buffer: the part of a selfplay.Episode used for learning, without
// loss, in half the memory.
type record struct {
	actions   []uint16
	samples   []sample
	policies  []selfplay.PolicyEntry // of the samples, concatenated
	result    env.Value
	positions []env.State // after 0, stride, 2·stride, … actions
	final     env.State   // the final position, or nil
	surprise  []float32   // running sums of Sample.KL over the samples; nil if not kept or always 0
}

// sample is a selfplay.Sample without its policy.
type sample struct {
	ply   int32                 // number of actions before the position
	end   int32                 // end of the sample's policy in record.policies; it begins at the previous sample's end
	value [env.MaxPlayers]int16 // payoff by seat expected by the search, in units of 1/selfplay.Scale
}

// newRecord returns the record of a game, without positions, final and surprise.
func newRecord(e *selfplay.Episode) record {
	entries := 0
	for i := range e.Samples {
		entries += len(e.Samples[i].Policy)
	}
	r := record{
		actions:  make([]uint16, len(e.Actions)),
		samples:  make([]sample, len(e.Samples)),
		policies: make([]selfplay.PolicyEntry, 0, entries),
		result:   e.Result,
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

// policy returns the search policy of the sample at index at.
func (r *record) policy(at int) []selfplay.PolicyEntry {
	from := int32(0)
	if at > 0 {
		from = r.samples[at-1].end
	}
	return r.policies[from:r.samples[at].end]
}

// value returns the payoff by seat expected by the search of the sample at index at,
// exactly as in the Episode.
func (r *record) value(at int) (v env.Value) {
	for seat, part := range r.samples[at].value {
		v[seat] = float32(float64(part) / selfplay.Scale)
	}
	return v
}

// discounted returns the weight of the game's result at the position after ply actions, if
// each ply before the end multiplies it by discount.
func (r *record) discounted(ply int, discount float64) float64 {
	if discount == 1 {
		return 1
	}
	return portable.Pow(discount, float64(len(r.actions)-ply))
}

// target returns the components of the outcome target of the sample at index at.
func (r *record) target(at int, t *Targets) outcome {
	return outcome{
		result: r.result, value: r.value(at), valueWeight: t.SearchValueWeight,
		certainty: r.discounted(int(r.samples[at].ply), t.Discount),
	}
}

// surpriseSums returns running sums of the divergence of the search policy from the
// network's over the samples of a game, or nil if it is always 0.
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

// drawSurprising draws a sample of the game with probability proportional to its surprise
// (policy surprise weighting, KataGo's docs/KataGoMethods.md). The record's surprise must
// not be nil.
func (r *record) drawSurprising(rng *rand.Rand) int {
	last := len(r.surprise) - 1
	x := rng.Float64() * float64(r.surprise[last])
	return sort.Search(last, func(i int) bool { return float64(r.surprise[i]) > x })
}

// bytes returns the memory of the game. Its first position is shared by all games.
func (r *record) bytes() int64 {
	n := recordBytes + bytesOf(r.actions) + bytesOf(r.samples) + bytesOf(r.policies) + bytesOf(r.positions) + bytesOf(r.surprise) +
		int64(len(r.positions)-1)*int64(env.Size(r.positions[0]))
	if r.final != nil {
		n += int64(env.Size(r.final))
	}
	return n
}

// recordBytes is the size of a record and of its entry in Buffer.starts.
const recordBytes = int64(unsafe.Sizeof(record{}) + unsafe.Sizeof(int(0)))

// bytesOf returns the memory of the elements of s.
func bytesOf[T any](s []T) int64 { return int64(len(s)) * int64(unsafe.Sizeof(*new(T))) }
