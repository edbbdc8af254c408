package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"tiro/env"
)

// rulesDigest returns a digest of a game: its spec, and the legal actions, planes and results
// of a few random games. Programs with other rules or planes have other digests, as far as
// these games show a difference.
func rulesDigest(game env.Game) string {
	const games, plies = 8, 200
	hash, spec := sha256.New(), game.Spec()
	fmt.Fprintln(hash, spec) // a hash never fails
	planes := make([]float32, spec.Inputs())
	for seed := range uint64(games) {
		s, rng := game.New(), env.NewRand(seed)
		for range plies {
			v, over := s.Result()
			_ = binary.Write(hash, binary.LittleEndian, v[:])
			if over {
				break
			}
			clear(planes)
			s.Observe(planes)
			_ = binary.Write(hash, binary.LittleEndian, planes)
			legal := s.Legal(nil)
			for _, a := range legal {
				fmt.Fprintln(hash, a, s.ActionString(a))
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}
