package cl

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Queue runs commands in the order in which they are given. It is safe for concurrent use.
type Queue struct {
	context *Context
	id      uintptr
}

// NewQueue returns a queue, which Context.Close releases.
func (c *Context) NewQueue() (*Queue, error) {
	code := int32(0)
	id := c.library.CreateCommandQueue(c.id, c.Device.id, 0, &code)
	if err := failure("clCreateCommandQueue", code); err != nil {
		return nil, err
	}
	c.own(id, c.library.ReleaseCommandQueue)
	return &Queue{c, id}, nil
}

// Write copies src to the beginning of a buffer, and waits for it.
func (q *Queue) Write(dst *Buffer, src []byte) error { return wait(q.WriteLater(dst, src)) }

// Read waits for all commands before, and copies the beginning of a buffer to dst.
func (q *Queue) Read(dst []byte, src *Buffer) error { return wait(q.ReadLater(dst, src)) }

func wait(e *Event, err error) error {
	if err != nil {
		return err
	}
	return e.Wait()
}

// WriteLater is Write without waiting: src must not change until the event has happened.
func (q *Queue) WriteLater(dst *Buffer, src []byte) (*Event, error) {
	return q.transfer("clEnqueueWriteBuffer", q.context.library.EnqueueWriteBuffer, dst, src)
}

// ReadLater is Read without waiting: dst is filled when the event has happened.
func (q *Queue) ReadLater(dst []byte, src *Buffer) (*Event, error) {
	return q.transfer("clEnqueueReadBuffer", q.context.library.EnqueueReadBuffer, src, dst)
}

// transfer starts to copy between the beginning of a buffer and memory.
func (q *Queue) transfer(call string, start transfer, b *Buffer, memory []byte) (*Event, error) {
	if err := b.holds(len(memory)); err != nil || len(memory) == 0 {
		return nil, err
	}
	e := &Event{library: q.context.library}
	e.pinned.Pin(&memory[0])
	if code := start(q.id, b.id, 0, 0, uintptr(len(memory)), unsafe.Pointer(&memory[0]), 0, nil, &e.id); code != 0 {
		e.pinned.Unpin()
		return nil, failure(call, code)
	}
	return e, nil
}

// Clear sets a buffer, whose size is a multiple of 4, to 0.
func (q *Queue) Clear(dst *Buffer) error {
	zero := uint32(0)
	return failure("clEnqueueFillBuffer", q.context.library.EnqueueFillBuffer(q.id, dst.id, unsafe.Pointer(&zero), unsafe.Sizeof(zero), 0, uintptr(dst.Size), 0, nil, nil))
}

// Run runs a kernel on a grid of work items in one to three dimensions, in work groups of size
// local, which must divide global. There must be one argument for each parameter of the kernel: a
// *Buffer, int32, uint32, uint64 or float32.
func (q *Queue) Run(k *Kernel, global, local []int, args ...any) error {
	if err := k.checkSizes(global, local); err != nil {
		return fmt.Errorf("opencl: kernel %s: %w", k.name, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.bind(args); err != nil {
		return fmt.Errorf("opencl: kernel %s: %w", k.name, err)
	}
	var sizes [2][3]uintptr
	for i := range global {
		sizes[0][i], sizes[1][i] = uintptr(global[i]), uintptr(local[i])
	}
	code := q.context.library.EnqueueNDRangeKernel(q.id, k.id, uint32(len(global)), nil, &sizes[0][0], &sizes[1][0], 0, nil, nil)
	return failure("clEnqueueNDRangeKernel of "+k.name, code)
}

// Flush sends all commands to the device. Drivers may otherwise hold them back until something
// waits for them.
func (q *Queue) Flush() error { return failure("clFlush", q.context.library.Flush(q.id)) }

// Free releases the queue, which must have finished. A nil queue is left alone.
func (q *Queue) Free() {
	if q != nil {
		q.context.release(q.id)
	}
}

// Finish waits for all commands.
func (q *Queue) Finish() error { return failure("clFinish", q.context.library.Finish(q.id)) }

// Event is the end of a transfer. Wait must be called once, because the memory of the transfer is
// pinned until then. It is for one goroutine at a time. A nil Event has happened.
type Event struct {
	library *Library
	id      uintptr
	pinned  runtime.Pinner
}

// Wait waits for the event.
func (e *Event) Wait() error {
	if e == nil || e.id == 0 {
		return nil
	}
	err := failure("clWaitForEvents", e.library.WaitForEvents(1, &e.id))
	e.library.ReleaseEvent(e.id)
	e.id = 0
	e.pinned.Unpin()
	return err
}
