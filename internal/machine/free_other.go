//go:build !linux && !darwin && !windows

package machine

import "errors"

func free(string) (int64, error) { return 0, errors.ErrUnsupported }
