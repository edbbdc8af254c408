//go:build !nogpu && (amd64 || arm64)

package cl

import "golang.org/x/sys/windows"

// open loads the library and returns a function that looks up addresses.
func open() (find func(name string) (uintptr, error), err error) {
	library, err := windows.LoadLibraryEx("OpenCL.dll", 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if err != nil {
		return nil, err
	}
	return func(name string) (uintptr, error) { return windows.GetProcAddress(library, name) }, nil
}
