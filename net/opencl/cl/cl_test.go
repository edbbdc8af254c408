package cl_test

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tiro/net/opencl/cl"
	"tiro/net/opencl/cltest"
)

const source = `
// Multiplies, with a comma in the comment.
kernel void scale(global float *x, const float by, int n) {
	int i = get_global_id(0);
	if (i < n) x[i] *= by;
}
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void reverse(__global const float *restrict x, __global float *y, uint first, ulong unused) {
	local float scratch[4];
	int i = get_local_id(0);
	scratch[i] = x[first + i];
	barrier(CLK_LOCAL_MEM_FENCE);
	y[first + i] = scratch[3 - i];
}
`

// begin opens the device and builds the source.
func begin(t *testing.T, d cl.Device, cache string) (*cl.Context, *cl.Queue, *cl.Program) {
	ctx, err := d.Open(cache)
	require.NoError(t, err)
	t.Cleanup(ctx.Close)
	queue, err := ctx.NewQueue()
	require.NoError(t, err)
	program, err := ctx.Build(source, "-D UNUSED=1")
	require.NoError(t, err)
	return ctx, queue, program
}

func kernel(t *testing.T, p *cl.Program, name string) *cl.Kernel {
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return k
}

// run computes on the device and checks the result.
func run(t *testing.T, ctx *cl.Context, queue *cl.Queue, program *cl.Program) {
	x, y := []float32{1, 2, 3, 4, 5, 6, 7, 8}, make([]float32, 8)
	a, err := ctx.Alloc(32)
	require.NoError(t, err)
	b, err := ctx.Alloc(32)
	require.NoError(t, err)
	scale, reverse := kernel(t, program, "scale"), kernel(t, program, "reverse")
	written, err := queue.WriteLater(a, cl.Bytes(x))
	require.NoError(t, err)
	require.NoError(t, queue.Clear(b))
	for range 2 {
		require.NoError(t, queue.Run(scale, []int{8}, []int{1}, a, float32(3), int32(7)))
	}
	require.NoError(t, queue.Run(reverse, []int{4}, []int{4}, a, b, uint32(4), uint64(0)))
	require.NoError(t, queue.Flush())
	read, err := queue.ReadLater(cl.Bytes(y), b)
	require.NoError(t, err)
	require.NoError(t, written.Wait())
	require.NoError(t, read.Wait())
	require.Equal(t, []float32{0, 0, 0, 0, 8, 63, 54, 45}, y)
	require.NoError(t, queue.Finish())
	a.Free()
	a.Free()
	require.Error(t, queue.Read(cl.Bytes(y), a), "freed")
	require.Error(t, queue.Run(scale, []int{8}, []int{1}, a, float32(3), int32(7)), "freed")
}

func TestDevice(t *testing.T) {
	d := cltest.Device(t)
	require.NotEmpty(t, d.Name)
	require.NotEmpty(t, d.Driver)
	require.Positive(t, d.LargestPart)
	require.Positive(t, d.Units)
	ctx, queue, program := begin(t, d, "")
	run(t, ctx, queue, program)
}

// TestCache: the second build comes from the cache, a damaged file is built again, and a folder
// that cannot be written is no error.
func TestCache(t *testing.T) {
	library, built := *cltest.Library(t), 0
	compile := library.CreateProgramWithSource
	library.CreateProgramWithSource = func(context uintptr, count uint32, texts **byte, lengths *uintptr, code *int32) uintptr {
		built++
		return compile(context, count, texts, lengths, code)
	}
	devices, err := library.Devices()
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "new", "cache")
	for range 2 {
		ctx, queue, program := begin(t, devices[0], folder)
		run(t, ctx, queue, program)
		require.Equal(t, 1, built)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], data[:len(data)/2], 0o644))
	begin(t, devices[0], folder)
	require.Equal(t, 2, built)
	begin(t, devices[0], filepath.Join(files[0], "a file is no folder"))
	require.Equal(t, 3, built)
}

// TestArguments: commands with wrong arguments never reach the driver.
func TestArguments(t *testing.T) {
	library := *cltest.Library(t)
	library.EnqueueNDRangeKernel = nil
	library.EnqueueReadBuffer, library.EnqueueWriteBuffer = nil, nil
	devices, err := library.Devices()
	require.NoError(t, err)
	ctx, queue, program := begin(t, devices[0], "")
	other, _, _ := begin(t, devices[0], "")
	b, err := ctx.Alloc(32)
	require.NoError(t, err)
	foreign, err := other.Alloc(32)
	require.NoError(t, err)
	scale := kernel(t, program, "scale")

	for _, args := range [][]any{
		{},
		{b, float32(1)},
		{b, float32(1), int32(1), int32(1)},
		{b, 1.0, int32(1)},
		{b, float32(1), 8},
		{b, float32(1), uint32(1)},
		{float32(1), float32(1), int32(1)},
		{(*cl.Buffer)(nil), float32(1), int32(1)},
		{nil, float32(1), int32(1)},
		{foreign, float32(1), int32(1)},
	} {
		require.Error(t, queue.Run(scale, []int{8}, []int{1}, args...), "%v", args)
	}
	for _, size := range [][2][]int{
		{{}, {}},
		{{0}, {1}},
		{{-1}, {1}},
		{{1, 1, 1, 1}, {1, 1, 1, 1}},
		{{8}, nil},
		{{8}, {3}},
		{{8}, {0}},
		{{8}, {1, 1}},
		{{1 << 20}, {1 << 20}},
	} {
		require.Error(t, queue.Run(scale, size[0], size[1], b, float32(1), int32(1)), "%v", size)
	}
	x := make([]byte, 33)
	require.Error(t, queue.Write(b, x))
	require.Error(t, queue.Read(x, b))
	require.NoError(t, queue.Write(b, nil))

	_, err = program.Kernel("missing")
	require.ErrorContains(t, err, "missing")
	_, err = ctx.Alloc(0)
	require.Error(t, err)
	_, err = ctx.Alloc(int(devices[0].LargestPart) + 1)
	require.ErrorIs(t, err, cl.ErrMemory)
	_, err = ctx.Build("kernel void f(image2d_t x) {}", "")
	require.ErrorContains(t, err, "image2d_t")
	_, err = ctx.Build("kernel void f(int x) { undeclared = x; }", "")
	require.ErrorContains(t, err, "undeclared")
}

// TestFailures: errors distinguish missing devices, too little memory and lost devices.
func TestFailures(t *testing.T) {
	none := &cl.Library{GetPlatformIDs: func(uint32, *uintptr, *uint32) int32 { return -1001 }}
	_, err := none.Devices()
	require.ErrorIs(t, err, cl.ErrNoDevice)

	library := *cltest.Library(t)
	alloc := library.CreateBuffer
	devices, err := library.Devices()
	require.NoError(t, err)
	ctx, queue, program := begin(t, devices[0], "")
	b, err := ctx.Alloc(32)
	require.NoError(t, err)
	scale := kernel(t, program, "scale")

	library.CreateBuffer = func(_ uintptr, _ uint64, _ uintptr, _ unsafe.Pointer, code *int32) uintptr {
		*code = -5
		return 0
	}
	_, err = ctx.Alloc(32)
	require.ErrorIs(t, err, cl.ErrMemory)
	library.CreateBuffer = alloc
	library.EnqueueNDRangeKernel = func(_, _ uintptr, _ uint32, _, _, _ *uintptr, _ uint32, _, _ *uintptr) int32 { return -5 }
	err = queue.Run(scale, []int{8}, []int{1}, b, float32(3), int32(7))
	require.ErrorIs(t, err, cl.ErrLost)
	require.NotErrorIs(t, err, cl.ErrMemory)
	library.WaitForEvents = func(uint32, *uintptr) int32 { return -14 }
	require.ErrorIs(t, queue.Write(b, make([]byte, 32)), cl.ErrLost)
	library.Finish = func(uintptr) int32 { return -9999 }
	require.ErrorIs(t, queue.Finish(), cl.ErrLost)
	library.Flush = func(uintptr) int32 { return -30 }
	require.NotErrorIs(t, queue.Flush(), cl.ErrLost)
}

// TestBrokenPlatform: a driver that fails does not hide the devices of others.
func TestBrokenPlatform(t *testing.T) {
	const broken, outOfResources = 0xbad, -5
	real := cltest.Library(t)
	library, only := *real, true
	library.GetPlatformIDs = func(n uint32, ids *uintptr, count *uint32) int32 {
		all := unsafe.Slice(ids, n)
		all[0], *count = broken, 0
		if !only {
			real.GetPlatformIDs(n-1, &all[1], count)
		}
		*count++
		return 0
	}
	library.GetDeviceIDs = func(platform uintptr, kind uint64, n uint32, ids *uintptr, count *uint32) int32 {
		if platform == broken {
			return outOfResources
		}
		return real.GetDeviceIDs(platform, kind, n, ids, count)
	}
	_, err := library.Devices()
	require.ErrorContains(t, err, "clGetDeviceIDs")
	only = false
	got, err := library.Devices()
	require.NoError(t, err)
	want, err := real.Devices()
	require.NoError(t, err)
	require.Len(t, got, len(want))
}
