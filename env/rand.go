package env

import (
	"math/bits"
	"math/rand/v2"
)

// NewRand returns a generator that depends only on the keys and their order, such as (run
// seed, generation, game, purpose). Different keys give streams that are independent for
// practical purposes.
func NewRand(keys ...uint64) *rand.Rand {
	hi, lo := uint64(0x9e3779b97f4a7c15), uint64(len(keys))
	for _, k := range keys {
		hi = Mix(hi ^ k)
		lo = Mix(lo + hi)
	}
	return rand.New(rand.NewPCG(hi, lo))
}

// Mix scrambles x with a bijection: the finaliser of SplitMix64 (Steele, Lea and Flood
// 2014, "Fast splittable pseudorandom number generators", fig. 15, constants of variant
// 13).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Fold returns the exclusive or of the high and low halves of the 128-bit product of a and
// b.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
