package bundled

import (
	"errors"
	"io/fs"
	"maps"
	"strings"

	"tiro/env"
)

// Nearest returns the model for game. If there is none, it returns the model whose game string
// differs in the fewest options, among the models whose networks can play game; in a tie, the
// first in the order of List. find looks up the games of the models. The errors are those that
// Find returns.
func Nearest(game env.Game, find env.Lookup) (Model, error) {
	return wrap(nearest(shipped, game, find))
}

func nearest(shipped fs.FS, game env.Game, lookup env.Lookup) (Model, error) {
	spec := game.Spec()
	m, none := find(shipped, spec.Name)
	if !errors.Is(none, ErrNone) {
		return m, none
	}
	all, err := list(shipped)
	if err != nil {
		return Model{}, err
	}
	least := -1
	for _, candidate := range all {
		trained, err := lookup(candidate.Card.Game)
		if err != nil {
			return Model{}, err
		}
		d := distance(spec.Name, candidate.Card.Game)
		if spec.CheckNetwork(trained.Spec()) == nil && (least < 0 || d < least) {
			m, least = candidate, d
		}
	}
	if least < 0 {
		return Model{}, none
	}
	return m, nil
}

// distance returns the number of options in which two canonical game strings of one game differ.
func distance(a, b string) int {
	n, one, other := 0, options(a), options(b)
	both := maps.Clone(one)
	maps.Copy(both, other)
	for key := range both {
		if one[key] != other[key] {
			n++
		}
	}
	return n
}

// options returns the options in a game string.
func options(game string) map[string]string {
	set := map[string]string{}
	_, list, _ := strings.Cut(game, ":")
	for item := range strings.SplitSeq(list, ",") {
		key, value, _ := strings.Cut(item, "=")
		set[key] = value
	}
	return set
}
