package envtest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/envtest"
)

// TestExtremes: values that a game rejects are skipped.
func TestExtremes(t *testing.T) {
	size := env.Option{Name: "size", Default: 8, Min: 3, Max: 11}
	even := env.Entry{Name: "even", Options: []env.Option{size}, Make: func(o *env.Options) (env.Game, error) {
		if n := o.Int(size); n%2 != 0 {
			return nil, fmt.Errorf("size=%d must be an even number", n)
		}
		named := func(s *env.Spec) { s.Name = o.String() }
		return envtest.WithSpec(envtest.MustTree(2, "( A B )"), named), o.Err()
	}}
	require.Equal(t, []string{"even:size=4", "even:size=10", "even:size=10"}, envtest.Extremes(even, size, ""))
	colour := env.Option{Name: "colour", Words: []string{"red", "blue"}}
	require.Equal(t, []string{"even:colour=red,x=1", "even:colour=blue,x=1"}, envtest.Extremes(even, colour, ",x=1"))
	never := env.Entry{Name: "never", Make: func(o *env.Options) (env.Game, error) { return nil, fmt.Errorf("none, not %d", o.Int(size)) }}
	require.Equal(t, []string{"never:size=3", "never:size=9", "never:size=11"}, envtest.Extremes(never, size, ""))
}
