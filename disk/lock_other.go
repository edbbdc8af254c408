//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"
)

// tryLock always fails: this system has no file locks that we know.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
