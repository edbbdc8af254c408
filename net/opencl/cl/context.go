package cl

import (
	"fmt"
	"sync"
	"unsafe"
)

// Context is an open device. It is safe for concurrent use.
type Context struct {
	Device Device

	library *Library
	id      uintptr
	cache   string // folder of built programs, or ""

	mu   sync.Mutex
	live map[uintptr]func(uintptr) int32 // objects of the context, and the functions that release them
}

// Open opens the device. Built programs are kept in the folder cache, which is created if
// necessary; without one (""), each Build compiles.
func (d Device) Open(cache string) (*Context, error) {
	properties := []uintptr{contextPlatform, d.platform, 0}
	code := int32(0)
	id := d.library.CreateContext(&properties[0], 1, &d.id, 0, 0, &code)
	if err := failure("clCreateContext", code); err != nil {
		return nil, fmt.Errorf("open %s: %w", d.Name, err)
	}
	return &Context{Device: d, library: d.library, id: id, cache: cache, live: map[uintptr]func(uintptr) int32{}}, nil
}

// Close releases the device and everything that was made with the context, which must not be in
// use.
func (c *Context) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, release := range c.live {
		release(id)
	}
	if c.id != 0 {
		c.library.ReleaseContext(c.id)
	}
	c.live, c.id = nil, 0
}

// own notes an object and the function that releases it.
func (c *Context) own(id uintptr, release func(uintptr) int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live[id] = release
}

// release releases an object of the context, once.
func (c *Context) release(id uintptr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if release := c.live[id]; release != nil {
		release(id)
		delete(c.live, id)
	}
}

// Buffer is memory of a device.
type Buffer struct {
	Size int // bytes; 0 after Free

	context *Context
	id      uintptr
}

// Alloc allocates memory with undefined contents. The error is ErrMemory if the device has too
// little. Some drivers allocate later, so that the first command with the buffer fails.
func (c *Context) Alloc(bytes int) (*Buffer, error) {
	if bytes <= 0 {
		return nil, fmt.Errorf("opencl: a buffer of %d bytes", bytes)
	}
	if int64(bytes) > c.Device.LargestPart {
		return nil, fmt.Errorf("%w: a buffer of %d MiB is larger than the %d MiB that %s allows", ErrMemory, bytes>>20, c.Device.LargestPart>>20, c.Device.Name)
	}
	code := int32(0)
	id := c.library.CreateBuffer(c.id, memoryReadWrite, uintptr(bytes), nil, &code)
	if err := failure("clCreateBuffer", code); err != nil {
		return nil, fmt.Errorf("%d MiB on %s: %w", bytes>>20, c.Device.Name, err)
	}
	c.own(id, c.library.ReleaseMemObject)
	return &Buffer{bytes, c, id}, nil
}

// Free releases the memory when no command uses it any more. A nil or freed buffer is left alone.
func (b *Buffer) Free() {
	if b == nil || b.Size == 0 {
		return
	}
	b.context.release(b.id)
	b.Size = 0
}

// holds returns an error if the buffer has fewer than n bytes.
func (b *Buffer) holds(n int) error {
	if b == nil || n > b.Size {
		return fmt.Errorf("opencl: %d bytes, more than the buffer has", n)
	}
	return nil
}

// Bytes returns the memory of x.
func Bytes[T int8 | uint32 | float32](x []T) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}
