package cl

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Kind is the kind of a device.
type Kind int

// Kinds, in the order of Devices.
const (
	GPU Kind = iota
	Accelerator
	CPU
)

// String returns "GPU", "accelerator" or "CPU".
func (k Kind) String() string { return [...]string{"GPU", "accelerator", "CPU"}[k] }

// Device describes a device.
type Device struct {
	Name        string // such as "NVIDIA H100 80GB HBM3"
	Vendor      string
	Driver      string // version of the driver
	Version     string // of OpenCL, with the platform's name
	Kind        Kind
	Units       int   // compute units
	LargestPart int64 // bytes of the largest buffer
	LocalMemory int64 // bytes for a work group
	GroupSize   int   // work items of the largest work group

	library      *Library
	platform, id uintptr
}

// Parameters of clGetDeviceInfo.
const (
	deviceType         = 0x1000
	deviceUnits        = 0x1002
	deviceGroupSize    = 0x1004
	deviceLargestPart  = 0x1010
	deviceLocalMemory  = 0x1023
	deviceAvailable    = 0x1027
	deviceCompiles     = 0x1028
	deviceName         = 0x102B
	deviceVendor       = 0x102C
	deviceDriver       = 0x102D
	deviceVersion      = 0x102F
	typeCPU            = 1 << 1
	typeGPU            = 1 << 2
	typeAll            = 0xFFFFFFFF
	maxIDs             = 64
	maxText            = 4 << 10
	contextPlatform    = 0x1084
	memoryReadWrite    = 1
	programBinarySizes = 0x1165
	programBinaries    = 0x1166
	programBuildLog    = 0x1183
	kernelGroupSize    = 0x11B0
)

// Devices lists the devices that can be used: graphics cards, then other accelerators, then CPUs,
// and otherwise in the order of the library. If there are none, it returns the error of the first
// driver that fails, or ErrNoDevice.
func (l *Library) Devices() ([]Device, error) {
	platforms, err := list("clGetPlatformIDs", l.GetPlatformIDs)
	if err != nil {
		return nil, err
	}
	var devices []Device
	var broken error // of a driver
	for _, platform := range platforms {
		ids, err := list("clGetDeviceIDs", func(n uint32, ids *uintptr, count *uint32) int32 {
			return l.GetDeviceIDs(platform, typeAll, n, ids, count)
		})
		broken = cmp.Or(broken, err)
		for _, id := range ids {
			if d, ok := l.describe(platform, id); ok {
				devices = append(devices, d)
			}
		}
	}
	if len(devices) == 0 {
		return nil, cmp.Or(broken, ErrNoDevice)
	}
	slices.SortStableFunc(devices, func(a, b Device) int { return cmp.Compare(a.Kind, b.Kind) })
	return devices, nil
}

// list returns the identifiers that get reports.
func list(call string, get func(n uint32, ids *uintptr, count *uint32) int32) ([]uintptr, error) {
	ids, count := make([]uintptr, maxIDs), uint32(0)
	switch code := get(maxIDs, &ids[0], &count); code {
	case 0:
		return ids[:min(count, maxIDs)], nil
	case deviceNotFound, noPlatform:
		return nil, nil
	default:
		return nil, failure(call, code)
	}
}

// describe reads the properties of a device. It reports whether the device can be used.
func (l *Library) describe(platform, id uintptr) (d Device, ok bool) {
	ok = true
	number := func(param uint32) int64 {
		var value uint64 // little-endian, whatever the size in C
		code := l.GetDeviceInfo(id, param, unsafe.Sizeof(value), unsafe.Pointer(&value), nil)
		ok = ok && code == 0
		return int64(value)
	}
	text := func(param uint32) string {
		value, size := make([]byte, maxText), uintptr(0)
		code := l.GetDeviceInfo(id, param, maxText, unsafe.Pointer(&value[0]), &size)
		ok = ok && code == 0
		return printable(value[:min(size, maxText)])
	}
	kind := Accelerator
	switch t := number(deviceType); {
	case t&typeGPU != 0:
		kind = GPU
	case t&typeCPU != 0:
		kind = CPU
	}
	d = Device{
		Name: text(deviceName), Vendor: text(deviceVendor), Driver: text(deviceDriver), Version: text(deviceVersion),
		Kind: kind, Units: int(number(deviceUnits)), LargestPart: number(deviceLargestPart),
		LocalMemory: number(deviceLocalMemory), GroupSize: int(number(deviceGroupSize)),
		library: l, platform: platform, id: id,
	}
	usable := number(deviceAvailable) != 0 && number(deviceCompiles) != 0
	return d, ok && usable
}

// printable returns text up to its first zero byte, with runs of white space and unprintable
// characters as single spaces.
func printable(text []byte) string {
	s, _, _ := strings.Cut(string(text), "\x00")
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }), " ")
}
