package env_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
)

func TestEdits(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "tile", 4},
		{"coerceo", "coerceo", 0},
		{"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
		{"saturday", "sunday", 3},
	}
	for _, test := range tests {
		require.Equal(t, test.want, env.Edits(test.a, test.b), "%s to %s", test.a, test.b)
		require.Equal(t, test.want, env.Edits(test.b, test.a), "%s to %s", test.b, test.a)
	}
}
