package train_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/train"
)

func verify(t *testing.T, path string) train.VerifyReport {
	t.Helper()
	r, err := train.Verify(context.Background(), train.VerifyOptions{Path: path, Find: findGame, Workers: 2})
	require.NoError(t, err)
	return r
}

func TestVerifyWhole(t *testing.T) {
	o := options(t.TempDir(), 6)
	run(t, o)
	r := verify(t, o.Dir)
	for _, f := range r.Files {
		t.Log(f.Path, f.Status, f.Detail)
	}
	t.Logf("%+v", r.Outlook)
	require.True(t, r.Whole())
}
