package envtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tiro/env"
)

// seeds is the number of games with which fuzz targets begin.
const seeds = 3

// FuzzPositions searches for a string that is mishandled as a position of any of the games,
// whose States are Positioners. It must be rejected without changing the state, or be
// accepted, unchanged after formatting and parsing, and playable.
func FuzzPositions(f *testing.F, games ...env.Game) {
	f.Helper()
	for i, game := range games {
		err := walk{game, 21, seeds, 1000}.each(func(p *stop) error {
			if len(p.history)%25 == 0 || len(p.legal) == 0 {
				f.Add(uint8(i), p.state.(env.Positioner).Position(), uint64(len(p.history)))
			}
			return nil
		})
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, pos string, seed uint64) {
		game := games[int(n)%len(games)]
		if err := tryPosition(game, game.New(), pos, env.NewRand(seed)); err != nil {
			t.Error(err)
		}
	})
}

// FuzzMoves searches for a list of moves that is mishandled by any of the games. Each move
// must be rejected, or be the name of a legal action that leads to a sound position.
func FuzzMoves(f *testing.F, games ...env.Game) {
	f.Helper()
	for i, game := range games {
		for seed := range uint64(seeds) {
			var names []string
			s := game.New()
			for _, a := range randomLine(game, s, env.NewRand(22, seed), 40) {
				names = append(names, s.ActionString(a))
				s.Play(a)
			}
			f.Add(uint8(i), strings.Join(names, " "))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, moves string) {
		game := games[int(n)%len(games)]
		if err := tryMoves(game, moves); err != nil {
			t.Error(err)
		}
	})
}

// tryMoves plays the moves that are legal and skips the others, up to a few dozen: longer
// lists take time without finding more.
func tryMoves(game env.Game, moves string) error {
	spec, s := game.Spec(), game.New()
	words := strings.Fields(moves)
	for _, name := range words[:min(len(words), 60)] {
		before := s.Hash()
		a, err := env.ParseAction(s, name)
		legal := s.Legal(nil)
		switch {
		case err != nil && s.Hash() != before:
			return fmt.Errorf("move %q is rejected, but changes %s", name, s)
		case err != nil:
			continue
		case !slices.Contains(legal, a):
			return fmt.Errorf("move %q is read as %d, which is not legal in %s", name, a, s)
		case s.ActionString(a) != name:
			return fmt.Errorf("move %q is read as %s in %s", name, s.ActionString(a), s)
		}
		s.Play(a)
		if err := sound(spec, s, s.Legal(nil)); err != nil {
			return fmt.Errorf("after move %q, in %s: %w", name, s, err)
		}
	}
	return nil
}
