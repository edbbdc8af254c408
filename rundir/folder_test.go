package rundir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/rundir"
)

func TestIdentify(t *testing.T) {
	tests := []struct {
		name       string
		kind       rundir.Kind
		generation int
	}{
		{"config.yaml", rundir.Top, 0},
		{"log.old.jsonl", rundir.Top, 0},
		{"episodes", rundir.Top, 0},
		{"config.yaml.unfinished", rundir.Temporary, 0},
		{"checkpoints/000012.unfinished", rundir.Temporary, 0},
		{"episodes/000012.part.unfinished", rundir.Temporary, 0},
		{"episodes/thesis.unfinished", rundir.Unknown, 0},
		{"notes.unfinished", rundir.Unknown, 0},
		{"checkpoints/000012/weights.safetensors.unfinished", rundir.Unknown, 0},
		{"checkpoints/000012", rundir.Checkpoint, 12},
		{"checkpoints/1000000", rundir.Checkpoint, 1000000},
		{"checkpoints/12", rundir.Unknown, 0},
		{"checkpoints/-00012", rundir.Unknown, 0},
		{"episodes/000012.jsonl.zst", rundir.Episodes, 12},
		{"episodes/000012.part", rundir.PartialEpisodes, 12},
		{"episodes/000012", rundir.Unknown, 0},
		{"episodes/12.part", rundir.Unknown, 0},
		{"000012.part", rundir.Unknown, 0},
		{"damaged/episodes/000012.part", rundir.Unknown, 0},
		{"notes.txt", rundir.Unknown, 0},
	}
	for _, test := range tests {
		kind, generation := rundir.Identify(test.name)
		require.Equal(t, test.kind, kind, test.name)
		require.Equal(t, test.generation, generation, test.name)
	}
}
