package disk

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Path returns a path that leads, after the elements .. in it are resolved
// as package filepath does, where the path of a person leads. The system follows
// links before it goes up, and does not go up from a folder that is not there.
func Path(path string) (string, error) {
	if runtime.GOOS == "windows" { // where the system does as the package does
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
