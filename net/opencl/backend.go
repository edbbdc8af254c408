package opencl

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"tiro/net"
	"tiro/net/opencl/cl"
)

// Backend is an open device. It is safe for concurrent use.
type Backend struct {
	Device cl.Device

	name    string
	cpu     bool // whether the kernels are the ones for CPUs
	context *cl.Context
	program *cl.Program
	queue   *cl.Queue

	mu   sync.Mutex            // held while a batch is sent
	work map[string]*cl.Buffer // activations, shared by all networks because the queue is in order
	most atomic.Int64          // positions of a batch that fit in the memory, as far as is known
}

var _ net.Device = (*Backend)(nil)

// maxRows is the largest number of positions that pass through a network together.
const maxRows = 4096

// Name is the name of the first device as a backend. The others are "opencl:1" and so on.
const Name = "opencl"

// IsName reports whether Named accepts names like this one.
func IsName(name string) bool {
	return name == Name || strings.HasPrefix(name, Name+":")
}

// Named opens the device with a name like "opencl" or "opencl:1": see Open.
func Named(name, cache string) (*Backend, error) {
	index := 0
	if number, found := strings.CutPrefix(name, Name+":"); found {
		var err error
		if index, err = strconv.Atoi(number); err != nil {
			return nil, fmt.Errorf("opencl: backend %q is not of the form opencl:1", name)
		}
	}
	library, err := cl.Load()
	if err != nil {
		return nil, fmt.Errorf("opencl: %w", err)
	}
	devices, err := library.Devices()
	if err != nil {
		return nil, fmt.Errorf("opencl: %w", err)
	}
	return Open(devices, index, cache)
}

// Needs of the product in local memory.
const (
	tiledGroup = 256
	tiledLocal = 4 * 2 * 16 * (128 + 4 + 64)
)

// Open opens device number index of devices and builds the kernels, which takes seconds unless
// they are in the folder cache. The kernels depend on the kind of the device only.
func Open(devices []cl.Device, index int, cache string) (*Backend, error) {
	if index < 0 || index >= len(devices) {
		var names []string
		for i, d := range devices {
			names = append(names, fmt.Sprintf("%s:%d %s", Name, i, d.Name))
		}
		return nil, fmt.Errorf("opencl: there is no device %d (%s)", index, strings.Join(names, ", "))
	}
	d := devices[index]
	b := &Backend{Device: d, name: fmt.Sprintf("opencl:%d", index), work: map[string]*cl.Buffer{}}
	b.most.Store(maxRows)
	b.cpu = d.Kind == cl.CPU || d.GroupSize < tiledGroup || d.LocalMemory < tiledLocal
	options := ""
	if !b.cpu {
		options = "-D TILED"
	}
	var err error
	if b.context, err = d.Open(cache); err != nil {
		return nil, b.fault(err)
	}
	if b.program, err = b.context.Build(source(), options); err == nil {
		b.queue, err = b.context.NewQueue()
	}
	if err != nil {
		b.context.Close()
		return nil, b.fault(err)
	}
	return b, nil
}

// Close releases the device. The backend and its networks must not be in use.
func (b *Backend) Close() { b.context.Close() }

// Context returns the open device, for other programs on it.
func (b *Backend) Context() *cl.Context { return b.context }

// Name returns the device's name, as in "opencl:0 (NVIDIA H100 80GB HBM3, driver 535.129)".
func (b *Backend) Name() string {
	return fmt.Sprintf("%s (%s, driver %s)", b.name, b.Device.Name, b.Device.Driver)
}

// Bits returns the kind of the results, which device and driver determine.
func (b *Backend) Bits() string {
	bits := fmt.Sprintf("opencl:%s/%s", b.Device.Name, b.Device.Driver)
	return bits[:min(len(bits), maxBits)]
}

// maxBits is the largest length of Bits.
const maxBits = 128

// Compile sends the weights to the device. Later changes of w do not affect the network. If the
// device has too little memory, fails, or computes wrong results, evaluators return the error.
func (b *Backend) Compile(w *net.Weights) net.Network { return b.Load(w) }

// fault adds the device to an error.
func (b *Backend) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("opencl: device %s: %w", b.Device.Name, err)
}

// buffer returns the part of the workspace with the given name, with at least n bytes.
func (b *Backend) buffer(name string, n int) (*cl.Buffer, error) {
	if have := b.work[name]; have != nil && have.Size >= n {
		return have, nil
	}
	b.work[name].Free()
	delete(b.work, name)
	buffer, err := b.context.Alloc(n)
	if err != nil {
		return nil, err
	}
	// Drivers may allocate when the memory is used first. Nor may a sum ever read a NaN that
	// another program has left.
	if err := cmp.Or(b.queue.Clear(buffer), b.queue.Finish()); err != nil {
		buffer.Free()
		return nil, err
	}
	b.work[name] = buffer
	return buffer, nil
}

// reserve makes the workspace for n positions of a network, or for half, a quarter and so on if
// the device has too little memory. It returns their number.
func (b *Backend) reserve(n *Network, rows int) (*workspace, int, error) {
	rows = min(rows, int(b.most.Load()))
	for {
		w, err := n.workspace(rows)
		if err == nil {
			return w, rows, nil
		}
		if !errors.Is(err, cl.ErrMemory) || rows == 1 {
			return nil, 0, err
		}
		for name, buffer := range b.work {
			buffer.Free()
			delete(b.work, name)
		}
		if err := b.queue.Finish(); err != nil {
			return nil, 0, err
		}
		rows /= 2
		b.most.Store(int64(rows))
	}
}
