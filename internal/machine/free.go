package machine

import "path/filepath"

// Free returns the number of bytes that this process may write to the disk that will hold
// path, which need not exist yet. It returns 0 if the system does not report it.
func Free(path string) int64 {
	path, err := filepath.Abs(path)
	for ; err == nil; path = filepath.Dir(path) {
		if n, fault := free(path); fault == nil {
			return n
		}
		if filepath.Dir(path) == path {
			break
		}
	}
	return 0
}
