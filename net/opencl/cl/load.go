//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package cl

import (
	"fmt"
	"reflect"

	"github.com/ebitengine/purego"
)

// Load loads the OpenCL library of the system: the ICD loader, or the framework of macOS. It
// returns ErrNoLibrary if the system has none.
func Load() (*Library, error) {
	find, err := open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoLibrary, err)
	}
	library := &Library{}
	table := reflect.ValueOf(library).Elem()
	for i := range table.NumField() {
		name := "cl" + table.Type().Field(i).Name
		address, err := find(name)
		if err != nil {
			return nil, fmt.Errorf("%w in version 1.2: %w", ErrNoLibrary, err)
		}
		purego.RegisterFunc(table.Field(i).Addr().Interface(), address)
	}
	return library, nil
}
