package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl"
)

// backendFlag is the value of the flag --backend.
type backendFlag struct{ backend *net.Backend }

// backendVar adds the flag --backend, which selects the kernels or the device that computes
// networks. Its default is the fastest backend that this CPU supports.
func backendVar(cmd *cobra.Command, backend *net.Backend) {
	*backend = kernel.Best()
	cmd.Flags().Var(backendFlag{backend}, "backend", "compute networks on the CPU (avx512, avx2, neon, go) or on a graphics card (opencl; opencl:1 is the second one); results of go and of each card differ in the last bits")
	names := cobra.FixedCompletions(append(kernel.Names(), opencl.Name), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("backend", names); err != nil {
		panic(err) // unreachable: the flag exists and has no completion yet
	}
}

func (f backendFlag) String() string {
	if f.backend == nil { // cobra asks a zero flag, too
		return ""
	}
	return (*f.backend).Name()
}

func (f backendFlag) Type() string { return "backend" }

func (f backendFlag) Set(name string) (err error) {
	if opencl.IsName(name) {
		var device *opencl.Backend
		if device, err = opencl.Named(name, kernelCache()); err == nil {
			*f.backend = device
		}
		return err
	}
	backend, err := kernel.Named(name)
	if err == nil {
		*f.backend = backend
	}
	return err
}

// kernelCache returns the folder for the compiled kernels of devices, or "" if there is none.
func kernelCache() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "tiro", "opencl")
}
