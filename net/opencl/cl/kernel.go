package cl

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unsafe"
)

// Kernel is a function of a program with the arguments of its latest run. Runs of one Kernel
// exclude each other only while they are started. A Kernel that keeps most of its arguments starts
// faster, so that it is worthwhile to have one for each layer of a network.
type Kernel struct {
	program    *Program
	name       string
	id         uintptr
	parameters []parameter
	groupSize  int // work items of the largest work group

	mu    sync.Mutex
	bound []any // arguments of the latest run
}

// Kernel returns a new kernel with the given name.
func (p *Program) Kernel(name string) (*Kernel, error) {
	parameters, found := p.kernels[name]
	if !found {
		return nil, fmt.Errorf("opencl: the program has no kernel %q", name)
	}
	c, code := p.context, int32(0)
	id := c.library.CreateKernel(p.id, name, &code)
	if err := failure("clCreateKernel of "+name, code); err != nil {
		return nil, err
	}
	c.own(id, c.library.ReleaseKernel)
	size := uintptr(0)
	code = c.library.GetKernelWorkGroupInfo(id, c.Device.id, kernelGroupSize, unsafe.Sizeof(size), unsafe.Pointer(&size), nil)
	if err := failure("clGetKernelWorkGroupInfo of "+name, code); err != nil {
		return nil, err
	}
	return &Kernel{program: p, name: name, id: id, parameters: parameters, groupSize: int(size), bound: make([]any, len(parameters))}, nil
}

// Free releases the kernel.
func (k *Kernel) Free() { k.program.context.release(k.id) }

// checkSizes returns an error if work sizes are impossible.
func (k *Kernel) checkSizes(global, local []int) error {
	items := 1
	if len(global) < 1 || len(global) > 3 || len(local) != len(global) {
		return fmt.Errorf("work of %d dimensions in groups of %d", len(global), len(local))
	}
	for i, n := range global {
		if n < 1 || local[i] < 1 || n%local[i] != 0 {
			return fmt.Errorf("work of size %v in groups of %v", global, local)
		}
		items *= local[i]
	}
	if items > k.groupSize {
		return fmt.Errorf("groups of %v work items on a device that allows %d", local, k.groupSize)
	}
	return nil
}

// bind sets the arguments that differ from the latest run's.
func (k *Kernel) bind(args []any) error {
	if len(args) != len(k.parameters) {
		return fmt.Errorf("%d arguments instead of %d", len(args), len(k.parameters))
	}
	for i, arg := range args {
		if arg == k.bound[i] {
			if b, ok := arg.(*Buffer); !ok || b.Size > 0 {
				continue
			}
		}
		size, value, err := k.argument(k.parameters[i], arg)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", k.parameters[i].name, err)
		}
		if err := failure("clSetKernelArg", k.program.context.library.SetKernelArg(k.id, uint32(i), size, value)); err != nil {
			return fmt.Errorf("parameter %s: %w", k.parameters[i].name, err)
		}
		k.bound[i] = arg
	}
	return nil
}

// argument returns an argument as clSetKernelArg takes it.
func (k *Kernel) argument(p parameter, arg any) (size uintptr, value unsafe.Pointer, err error) {
	if want := fmt.Sprintf("%T", arg); p.goType != want {
		return 0, nil, fmt.Errorf("%s instead of %s", want, p.goType)
	}
	switch v := arg.(type) {
	case *Buffer:
		if v == nil || v.Size == 0 || v.context != k.program.context {
			return 0, nil, fmt.Errorf("a buffer that is freed or of another device")
		}
		return unsafe.Sizeof(v.id), unsafe.Pointer(&v.id), nil
	case int32:
		return unsafe.Sizeof(v), unsafe.Pointer(&v), nil
	case uint32:
		return unsafe.Sizeof(v), unsafe.Pointer(&v), nil
	case uint64:
		return unsafe.Sizeof(v), unsafe.Pointer(&v), nil
	case float32:
		return unsafe.Sizeof(v), unsafe.Pointer(&v), nil
	}
	return 0, nil, fmt.Errorf("%s instead of a type of kernels", p.goType)
}

// parameter is a parameter of a kernel, and the Go type of its arguments.
type parameter struct{ name, goType string }

var (
	comments  = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	kernels   = regexp.MustCompile(`\bkernel\s+(?:__attribute__\s*\(\(.*?\)\)\)?\s+)?void\s+(\w+)\s*\(([^)]*)\)`)
	lastWord  = regexp.MustCompile(`\w+$`)
	scalars   = map[string]string{"int": "int32", "uint": "uint32", "ulong": "uint64", "float": "float32"}
	qualifier = strings.NewReplacer("__", "", "const ", "", "restrict ", "", "restrict", "")
)

// parseKernels returns the parameters of all kernels in source. Each kernel begins with "kernel
// void"; its parameters are pointers to global or constant memory, or of type int, uint, ulong or
// float, without macros.
func parseKernels(source string) (map[string][]parameter, error) {
	source = strings.ReplaceAll(comments.ReplaceAllString(source, " "), "__kernel", "kernel")
	found := map[string][]parameter{}
	for _, m := range kernels.FindAllStringSubmatch(source, -1) {
		list := []parameter{}
		for text := range strings.SplitSeq(m[2], ",") {
			text = strings.TrimSpace(qualifier.Replace(text))
			p := parameter{name: lastWord.FindString(text)}
			words := strings.Fields(text)
			switch {
			case len(words) < 2:
			case strings.Contains(text, "*") && (words[0] == "global" || words[0] == "constant"):
				p.goType = "*cl.Buffer"
			case len(words) == 2:
				p.goType = scalars[words[0]]
			}
			if p.goType == "" {
				return nil, fmt.Errorf("kernel %s has a parameter of an unknown kind: %q", m[1], text)
			}
			list = append(list, p)
		}
		found[m[1]] = list
	}
	return found, nil
}
