package suggest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/suggest"
)

func TestDistance(t *testing.T) {
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
		require.Equal(t, test.want, suggest.Distance(test.a, test.b), "%s to %s", test.a, test.b)
		require.Equal(t, test.want, suggest.Distance(test.b, test.a), "%s to %s", test.b, test.a)
	}
}

func TestClosest(t *testing.T) {
	words := []string{"price", "win", "wins"}
	for name, want := range map[string]string{"prise": "price", "PRICE": "price", "wim": "win", "x": "", "": "", "komi": ""} {
		near, ok := suggest.Closest(name, words)
		require.Equal(t, want, near, name)
		require.Equal(t, want != "", ok, name)
	}
}
