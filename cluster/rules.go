package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"math"

	"tiro/env"
)

// digestGames is how many random games a RulesDigest looks at.
const digestGames = 8

// digestPlies bounds the plies of each.
const digestPlies = 200

// RulesDigest returns a digest of what a game is: its measures, and the legal
// actions, planes and results of a few random games. Programs that differ in the
// rules or in what a network sees have other digests, as far as these games show it.
func RulesDigest(game env.Game) string {
	d := rulesDigest{hash: sha256.New(), spec: game.Spec()}
	text, err := json.Marshal(d.spec)
	if err != nil {
		panic(err) // it holds numbers and texts
	}
	d.hash.Write(text)
	d.planes = make([]float32, d.spec.Inputs())
	for i := range digestGames {
		d.play(game, uint64(i))
	}
	return hex.EncodeToString(d.hash.Sum(nil))[:16]
}

type rulesDigest struct {
	hash   hash.Hash
	spec   env.Spec
	planes []float32 // [Planes, Height, Width]
	legal  []env.Action
}

// play adds a random game.
func (d *rulesDigest) play(game env.Game, seed uint64) {
	s, rng := game.New(), env.NewRand(seed)
	for range digestPlies {
		if v, over := s.Result(); over {
			d.numbers(v[:])
			return
		}
		clear(d.planes)
		s.Observe(d.planes)
		d.numbers(d.planes)
		d.legal = s.Legal(d.legal[:0])
		for _, a := range d.legal {
			d.number(uint32(a))
			d.hash.Write([]byte(s.ActionString(a)))
		}
		s.Play(d.legal[rng.IntN(len(d.legal))])
	}
}

func (d *rulesDigest) numbers(all []float32) {
	for _, x := range all {
		d.number(math.Float32bits(x))
	}
}

func (d *rulesDigest) number(x uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], x)
	d.hash.Write(b[:])
}
