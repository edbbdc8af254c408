package study

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/disk"
	"tiro/disk/disktest"
)

// TestRateLocks: of two ratings into one folder the second is refused, since the
// card of one must not vouch for the weights of the other.
func TestRateLocks(t *testing.T) {
	unlock, err := disk.LockFolder(disk.OS{}, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, unlock())
	fsys := disktest.New()
	unlock, err = disk.LockFolder(fsys, "card")
	require.NoError(t, err)
	o := DefaultRating()
	o.Disk, o.Out = fsys, "card"
	_, err = Rate(context.Background(), runWith(t, []int{0, 10}, 0, 1), o)
	require.ErrorIs(t, err, disk.ErrLocked)
	require.ErrorContains(t, err, "card is locked by another process; wait until it has finished, or name another folder")
	require.NoError(t, unlock())
	_, err = fsys.Stat(filepath.Join("card", "lock"))
	require.Error(t, err)
}
