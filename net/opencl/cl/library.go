package cl

import (
	"errors"
	"fmt"
	"unsafe"
)

// Library is the table of OpenCL's functions, with their types in C.
type Library struct {
	GetPlatformIDs func(entries uint32, platforms *uintptr, count *uint32) int32
	GetDeviceIDs   func(platform uintptr, kind uint64, entries uint32, devices *uintptr, count *uint32) int32
	GetDeviceInfo  func(device uintptr, param uint32, size uintptr, value unsafe.Pointer, needed *uintptr) int32

	CreateContext      func(properties *uintptr, devices uint32, device *uintptr, notify, data uintptr, code *int32) uintptr
	ReleaseContext     func(context uintptr) int32
	CreateCommandQueue func(context, device uintptr, properties uint64, code *int32) uintptr

	CreateProgramWithSource func(context uintptr, count uint32, texts **byte, lengths *uintptr, code *int32) uintptr
	CreateProgramWithBinary func(context uintptr, devices uint32, device *uintptr, lengths *uintptr, binaries **byte, status, code *int32) uintptr
	BuildProgram            func(program uintptr, devices uint32, device *uintptr, options string, notify, data uintptr) int32
	GetProgramInfo          func(program uintptr, param uint32, size uintptr, value unsafe.Pointer, needed *uintptr) int32
	GetProgramBuildInfo     func(program, device uintptr, param uint32, size uintptr, value unsafe.Pointer, needed *uintptr) int32
	ReleaseProgram          func(program uintptr) int32

	CreateKernel           func(program uintptr, name string, code *int32) uintptr
	GetKernelWorkGroupInfo func(kernel, device uintptr, param uint32, size uintptr, value unsafe.Pointer, needed *uintptr) int32
	SetKernelArg           func(kernel uintptr, index uint32, size uintptr, value unsafe.Pointer) int32
	ReleaseKernel          func(kernel uintptr) int32

	CreateBuffer     func(context uintptr, flags uint64, size uintptr, host unsafe.Pointer, code *int32) uintptr
	ReleaseMemObject func(buffer uintptr) int32

	EnqueueWriteBuffer   transfer
	EnqueueReadBuffer    transfer
	EnqueueFillBuffer    func(queue, buffer uintptr, pattern unsafe.Pointer, patternSize, offset, size uintptr, waits uint32, waitFor, event *uintptr) int32
	EnqueueNDRangeKernel func(queue, kernel uintptr, dimensions uint32, offset, global, local *uintptr, waits uint32, waitFor, event *uintptr) int32

	WaitForEvents       func(count uint32, events *uintptr) int32
	ReleaseEvent        func(event uintptr) int32
	Flush               func(queue uintptr) int32
	Finish              func(queue uintptr) int32
	ReleaseCommandQueue func(queue uintptr) int32
}

// transfer is a function that copies between a buffer and memory.
type transfer func(queue, buffer uintptr, blocking uint32, offset, size uintptr, memory unsafe.Pointer, waits uint32, waitFor, event *uintptr) int32

// Causes of errors.
var (
	ErrNotInBuild = errors.New("this build of tiro has no support for OpenCL")
	ErrNoLibrary  = errors.New("the OpenCL library is not installed")
	ErrNoDevice   = errors.New("no OpenCL device was found")
	ErrMemory     = errors.New("the device has too little memory")
	ErrLost       = errors.New("the device has failed")
)

// Error is a failure that a function of OpenCL has reported. It is ErrMemory or ErrLost if its
// code means that.
type Error struct {
	Call string // such as "clCreateBuffer"
	Code int32
}

// The codes of OpenCL that the package distinguishes.
const (
	deviceNotFound     = -1
	deviceNotAvailable = -2
	allocationFailed   = -4
	outOfResources     = -5
	outOfHostMemory    = -6
	invalidContext     = -34
	invalidQueue       = -36
	invalidBufferSize  = -61
	commandFailed      = -14
	noPlatform         = -1001
	vendor             = -1002 // and below: codes of a driver
)

func (e *Error) Error() string {
	for _, cause := range []error{ErrMemory, ErrLost} {
		if e.Is(cause) {
			return fmt.Sprintf("%v (%s returned %d)", cause, e.Call, e.Code)
		}
	}
	return fmt.Sprintf("%s returned %d", e.Call, e.Code)
}

// Is reports whether the code means that the device has too little memory (ErrMemory), or that it
// has failed and its contents are lost (ErrLost).
func (e *Error) Is(target error) bool {
	memory := e.Code == allocationFailed || e.Code == outOfHostMemory || e.Code == invalidBufferSize ||
		e.Code == outOfResources && e.Call == "clCreateBuffer"
	switch target {
	case ErrMemory:
		return memory
	case ErrLost:
		switch e.Code {
		case deviceNotAvailable, outOfResources, commandFailed, invalidContext, invalidQueue:
			return !memory
		}
		return e.Code <= vendor
	}
	return false
}

// failure returns an *Error, or nil if the code means success.
func failure(call string, code int32) error {
	if code == 0 {
		return nil
	}
	return &Error{call, code}
}
