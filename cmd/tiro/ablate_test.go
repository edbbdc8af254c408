package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A change may be a list, with spaces.
func TestVariantsMayHoldLists(t *testing.T) {
	got := splitWords("grow \n\ta.b=[{generation: 5, simulations: 48}, {generation: 9, simulations: 64}] c=1")
	require.Equal(t, []string{"grow", "a.b=[{generation: 5, simulations: 48}, {generation: 9, simulations: 64}]", "c=1"}, got)
}
