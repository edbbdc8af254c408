package cli

import (
	"github.com/spf13/cobra"

	"tiro/net/kernel"
)

// backendFlag is the value of the flag --backend.
type backendFlag kernel.Backend

// backendVar adds the flag --backend, which selects the kernels that compute networks. Its
// default is the fastest backend that this CPU supports.
func backendVar(cmd *cobra.Command, backend *kernel.Backend) {
	*backend = kernel.Best()
	cmd.Flags().Var((*backendFlag)(backend), "backend", "kernels that compute networks: avx512, avx2, neon or go (results of go differ from the others in the last bits)")
	names := cobra.FixedCompletions(kernel.Names(), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("backend", names); err != nil {
		panic(err) // unreachable: the flag exists and has no completion yet
	}
}

func (f *backendFlag) String() string { return kernel.Backend(*f).Name() }

func (f *backendFlag) Type() string { return "backend" }

func (f *backendFlag) Set(name string) error {
	backend, err := kernel.Named(name)
	if err == nil {
		*f = backendFlag(backend)
	}
	return err
}
