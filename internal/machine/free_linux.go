package machine

import "golang.org/x/sys/unix"

func free(path string) (int64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(path, &s)
	return int64(s.Bavail) * int64(s.Frsize), err // Bsize may be a larger unit, for reads and writes
}
