package main

import (
	"github.com/spf13/cobra"

	"tiro/net/kernel"
)

// kernelFlag is the value of the flag --kernel.
type kernelFlag kernel.Set

// kernelVar adds the flag --kernel to cmd: the kernels that networks are
// computed with. Unless people say otherwise set becomes the fastest ones that
// this CPU can run.
func kernelVar(cmd *cobra.Command, set *kernel.Set) {
	*set = kernel.Best()
	cmd.Flags().Var((*kernelFlag)(set), "kernel", "what computes the network, avx512, avx2 or go; results differ in the last bits")
	names := cobra.FixedCompletions(kernel.Names(), cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("kernel", names); err != nil {
		panic(err) // it is there, and has no completion yet
	}
}

// String implements pflag.Value.
func (k *kernelFlag) String() string { return kernel.Set(*k).Name() }

// Type implements pflag.Value.
func (k *kernelFlag) Type() string { return "set" }

// Set implements pflag.Value.
func (k *kernelFlag) Set(name string) error {
	set, err := kernel.Named(name)
	if err == nil {
		*k = kernelFlag(set)
	}
	return err
}
