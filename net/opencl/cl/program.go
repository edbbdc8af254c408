package cl

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"
)

// Program is compiled source.
type Program struct {
	context *Context
	id      uintptr
	kernels map[string][]parameter
}

// Build compiles source with the compiler's options, such as "-D SIZE=3". The result comes from
// the cache if the same device and driver have compiled the same before. The error contains the
// messages of the compiler. A fault of the cache is no error.
func (c *Context) Build(source, options string) (*Program, error) {
	kernels, err := parseKernels(source)
	if err != nil {
		return nil, fmt.Errorf("opencl: %w", err)
	}
	path := c.cached(source, options)
	if id := c.load(path, options); id != 0 {
		return c.program(id, kernels), nil
	}
	text, length, code := unsafe.StringData(source), uintptr(len(source)), int32(0)
	id := c.library.CreateProgramWithSource(c.id, 1, &text, &length, &code)
	if err := failure("clCreateProgramWithSource", code); err != nil {
		return nil, err
	}
	if code := c.library.BuildProgram(id, 1, &c.Device.id, options, 0, 0); code != 0 {
		log := c.buildLog(id)
		c.library.ReleaseProgram(id)
		return nil, fmt.Errorf("opencl: the driver of %s cannot compile the kernels: %w\n%s", c.Device.Name, failure("clBuildProgram", code), log)
	}
	c.save(path, id)
	return c.program(id, kernels), nil
}

func (c *Context) program(id uintptr, kernels map[string][]parameter) *Program {
	c.own(id, c.library.ReleaseProgram)
	return &Program{c, id, kernels}
}

// maxLog is the number of bytes of the compiler's messages that an error contains.
const maxLog = 2 << 10

// Free releases the program. Its kernels are released before. A nil program is left alone.
func (p *Program) Free() {
	if p != nil {
		p.context.release(p.id)
	}
}

// buildLog returns the compiler's first messages.
func (c *Context) buildLog(program uintptr) string {
	log, size := make([]byte, 64<<10), uintptr(0)
	if c.library.GetProgramBuildInfo(program, c.Device.id, programBuildLog, uintptr(len(log)), unsafe.Pointer(&log[0]), &size) != 0 {
		return ""
	}
	return strings.TrimRight(string(log[:min(int(size), len(log), maxLog)]), "\x00\n ")
}

// cached returns the path of the compiled program in the cache, or "" without a cache.
func (c *Context) cached(source, options string) string {
	if c.cache == "" {
		return ""
	}
	d := &c.Device
	key := fmt.Sprintf("%q", []string{d.Name, d.Vendor, d.Driver, d.Version, options, source})
	return filepath.Join(c.cache, fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:32])
}

// load makes a program from the cache, or returns 0. A file begins with the checksum of the rest,
// because drivers may crash on damaged programs.
func (c *Context) load(path, options string) uintptr {
	file, err := os.ReadFile(path)
	if err != nil || len(file) <= sha256.Size {
		return 0
	}
	binary := file[sha256.Size:]
	if sum := sha256.Sum256(binary); !bytes.Equal(sum[:], file[:sha256.Size]) {
		return 0
	}
	from, length, status, code := &binary[0], uintptr(len(binary)), int32(0), int32(0)
	id := c.library.CreateProgramWithBinary(c.id, 1, &c.Device.id, &length, &from, &status, &code)
	if code != 0 || status != 0 {
		return 0
	}
	if c.library.BuildProgram(id, 1, &c.Device.id, options, 0, 0) != 0 {
		c.library.ReleaseProgram(id)
		return 0
	}
	return id
}

// save adds a compiled program to the cache.
func (c *Context) save(path string, program uintptr) {
	size := uintptr(0)
	if path == "" || c.library.GetProgramInfo(program, programBinarySizes, unsafe.Sizeof(size), unsafe.Pointer(&size), nil) != 0 || size == 0 {
		return
	}
	binary := make([]byte, size)
	to := &binary[0]
	if c.library.GetProgramInfo(program, programBinaries, unsafe.Sizeof(to), unsafe.Pointer(&to), nil) != 0 {
		return
	}
	if os.MkdirAll(c.cache, 0o755) != nil {
		return
	}
	file, err := os.CreateTemp(c.cache, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(binary)
	_, err = file.Write(append(sum[:], binary...))
	if file.Close() != nil || err != nil || os.Rename(file.Name(), path) != nil {
		os.Remove(file.Name())
	}
}
