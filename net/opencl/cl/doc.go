// Package cl is a thin binding of OpenCL 1.2. It loads the library at run time, so the program
// needs neither a C compiler to be built nor OpenCL to start:
//
//	library, err := cl.Load()
//	devices, err := library.Devices() // graphics cards first
//	ctx, err := devices[0].Open(cacheFolder)
//	defer ctx.Close()
//	program, err := ctx.Build(source, "-D WIDTH=64")
//	kernel, err := program.Kernel("scale")
//	buffer, err := ctx.Alloc(4 * len(x))
//	queue, err := ctx.NewQueue()
//	err = queue.Write(buffer, cl.Bytes(x))
//	err = queue.Run(kernel, []int{len(x)}, []int{1}, buffer, float32(2), int32(len(x)))
//	err = queue.Read(cl.Bytes(x), buffer)
//
// A Queue runs its commands in order. Commands only start the work; Read, Event.Wait and Finish
// wait for it, and return the errors of everything before.
//
// The package checks the arguments of commands before the driver receives them: the parameters of
// a kernel against its source, ranges against the sizes of buffers, and work sizes against the
// device. A kernel's accesses to its buffers are the duty of the caller.
//
// Library holds every function of OpenCL that the package calls, as a field. Tests replace some to
// simulate failures. With the build tag nogpu, and on systems other than Linux, macOS and Windows
// on amd64 and arm64, Load returns ErrNotInBuild.
package cl
