package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/recipe"
)

func TestParseVariants(t *testing.T) {
	c := recipe.Default("mnk")
	channels, drops := c.Net.Channels, len(c.Learner.LearningRateDrops)
	all, err := ParseVariants(c, []string{"net.blocks=7"}, []string{
		"wide net.channels=96",
		"late \n\tlearner.learning_rate_drops=[{step: 5, factor: 0.3}, {step: 9, factor: 0.1}] net.blocks=1", // a change may be a list, with spaces
	})
	require.NoError(t, err)
	require.Len(t, all, 3)
	base, wide, late := all[0], all[1], all[2]
	require.Equal(t, []any{"base", channels, 7}, []any{base.Name, base.Config.Net.Channels, base.Config.Net.Blocks})
	require.Equal(t, []string{"net.blocks=7"}, base.Changes)
	require.Equal(t, []any{"wide", 96, 7}, []any{wide.Name, wide.Config.Net.Channels, wide.Config.Net.Blocks})
	require.Equal(t, []any{"late", channels, 1}, []any{late.Name, late.Config.Net.Channels, late.Config.Net.Blocks})
	require.Len(t, late.Changes, 2)
	require.Len(t, late.Config.Learner.LearningRateDrops, 2)
	require.Len(t, base.Config.Learner.LearningRateDrops, drops, "variants share nothing")

	for _, tt := range []struct {
		name              string
		changes, variants []string
		want              string
	}{
		{"no changes", nil, []string{"wide"}, `variant "wide"`},
		{"nothing", nil, []string{" "}, "a name and changes are required"},
		{"unknown key", nil, []string{"wide net.chanels=96"}, `variant "wide": set "net.chanels=96": unknown key net.chanels; did you mean net.channels?`},
		{"seed", nil, []string{"lucky seed=3"}, `variant "lucky": seed=3 cannot be set`},
		{"time", nil, []string{"long cpu_hours=3"}, `variant "long": cpu_hours=3 cannot be set`},
		{"seed of the base", []string{"seed=3"}, nil, "seed=3 cannot be set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseVariants(c, tt.changes, tt.variants)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
