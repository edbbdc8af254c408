//go:build !nogpu && (linux || darwin) && (amd64 || arm64)

package cl

import (
	"errors"
	"runtime"

	"github.com/ebitengine/purego"
)

// open loads the library and returns a function that looks up addresses.
func open() (find func(name string) (uintptr, error), err error) {
	names := []string{"libOpenCL.so.1", "libOpenCL.so"}
	if runtime.GOOS == "darwin" {
		names = []string{"/System/Library/Frameworks/OpenCL.framework/OpenCL"}
	}
	var faults []error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return func(name string) (uintptr, error) { return purego.Dlsym(handle, name) }, nil
		}
		faults = append(faults, err)
	}
	return nil, errors.Join(faults...)
}
