package configs

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBytes(t *testing.T) {
	tests := []struct {
		text, again, about string
		want               Bytes
	}{
		{"2GiB", "2GiB", "2.00GiB", 2 << 30},
		{"1.5GiB", "1536MiB", "1.50GiB", 3 << 29},
		{"1.5GB", "1500MB", "1.40GiB", 1_500_000_000},
		{"1TB", "1TB", "931GiB", 1e12},
		{"20TiB", "20TiB", "20.0TiB", 20 << 40},
		{"512MiB", "512MiB", "512MiB", 512 << 20},
		{"64KB", "64KB", "62.5KiB", 64_000},
		{"64KiB", "64KiB", "64.0KiB", 65_536},
		{"100B", "100B", "100B", 100},
		{"0", "none", "0B", 0},
		{"none", "none", "0B", 0},
		{"0GiB", "none", "0B", 0},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			var got Bytes
			require.NoError(t, got.UnmarshalText([]byte(test.text)))
			require.Equal(t, test.want, got)
			require.Equal(t, test.again, got.String())
			require.Equal(t, test.about, got.About())
		})
	}
}

func TestBytesRefuses(t *testing.T) {
	for _, text := range []string{
		"", "2", "2gib", "2 GiB", "GiB", "-1GiB", "+1GiB", "1e3MB", "0x10B", "1_000MB", "1.2.3GB", ".GB", "infGiB", "nanB", "2GiB ", "2Gi", "2048TiB", "9e99TiB", "0.4B", "0.0000001KB",
	} {
		b := Bytes(7)
		require.Error(t, b.UnmarshalText([]byte(text)), "%q", text)
		require.Equal(t, Bytes(7), b)
	}
}

func TestBytesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Bytes(rapid.Int64Range(0, MaxBytes).Draw(t, "bytes"))
		text, err := want.MarshalText()
		require.NoError(t, err)
		var got Bytes
		require.NoError(t, got.UnmarshalText(text))
		require.Equal(t, want, got)
	})
}
