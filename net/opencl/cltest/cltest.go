// Package cltest finds an OpenCL device for tests: Debian's pocl-opencl-icd makes one of the CPU.
package cltest

import (
	"testing"

	"tiro/internal/effort"
	"tiro/net/opencl/cl"
)

// Library returns the OpenCL library with at least one device. Without one, it skips the test, or
// fails it if CI=true.
func Library(t testing.TB) *cl.Library {
	t.Helper()
	library, err := cl.Load()
	if err == nil {
		_, err = library.Devices()
	}
	if err != nil {
		effort.NotChecked(t, "OpenCL: %v; Debian has a device in pocl-opencl-icd and ocl-icd-libopencl1", err)
	}
	return library
}

// Device returns the first device, see Library.
func Device(t testing.TB) cl.Device {
	t.Helper()
	devices, err := Library(t).Devices()
	if err != nil {
		t.Fatal(err)
	}
	return devices[0]
}
