package models

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzInfo(f *testing.F) {
	f.Add([]byte(`{"format":2,"what":"tiro checkpoint","game":"mnk","game_version":1,"generation":3,"net":{"channels":4},"parameters":9,` +
		`"metrics":{"games":7},"files":{"weights.safetensors":{"bytes":1,"sha256":"00"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := parseInfo(data)
		if err != nil {
			return
		}
		written, err := json.Marshal(info)
		require.NoError(t, err)
		again, err := parseInfo(written)
		require.NoError(t, err)
		require.Equal(t, info.Files, again.Files)
	})
}
