//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"
)

// tryLock always fails: no file locks are known for this system.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
