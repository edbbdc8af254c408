package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tiro/net"
	"tiro/net/kernel"
	"tiro/net/opencl"
)

// backendVar adds the flag --backend, which selects the kernels or the device that computes
// networks. Its default is the fastest backend that this CPU supports.
func backendVar(cmd *cobra.Command, backend *net.Backend) {
	*backend = kernel.Best()
	const help = "compute networks with `BACKEND`: avx512, avx2, neon or go (CPU), or opencl (a graphics card; opencl:1 is the second one); results of go and of each card differ in the last bits"
	cmd.Flags().Func("backend", help, func(name string) (err error) {
		if opencl.IsName(name) {
			*backend, err = opencl.Named(name, kernelCache())
		} else {
			*backend, err = kernel.Named(name)
		}
		return err
	})
	cmd.Flags().Lookup("backend").DefValue = kernel.Best().Name()
	names := cobra.FixedCompletions(append(kernel.Names(), opencl.Name), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("backend", names); err != nil {
		panic(err) // unreachable: the flag exists and has no completion yet
	}
}

// kernelCache returns the folder for the compiled kernels of devices, or "" if there is none.
func kernelCache() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "tiro", "opencl")
}
