package disk

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Path returns an equivalent of path that still leads to the same file after package filepath has
// cleaned the elements ".." from it. The operating system, unlike filepath, follows a link before
// it goes up from it, and cannot go up from a missing folder.
func Path(path string) (string, error) {
	if runtime.GOOS == "windows" { // whose system resolves .. as filepath does
		return path, nil
	}
	const up = "/.."
	at := strings.LastIndex(path+"/", up+"/")
	if at < 0 {
		return path, nil
	}
	before, err := filepath.EvalSymlinks(path[:at+len(up)])
	return before + path[at+len(up):], err
}

// Named returns path cleaned, and absolute if it ends with . or .., so that its last element is
// the file's name.
func Named(path string) string {
	path = filepath.Clean(path)
	if base := filepath.Base(path); base == "." || base == ".." {
		path, _ = filepath.Abs(path) // fails only without a current folder
	}
	return path
}
