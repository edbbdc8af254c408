package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tiro/net/kernel"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the Go release and the backend in use",
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprintf(cmd.OutOrStdout(), "tiro %s\n%s %s/%s, backend %s\n",
				build(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel.Best().Name())
			return nil
		},
	}
}

// build returns the version of this program, which Go derives from the commit
// that it was built from; "(devel)" if that is not known.
func build() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
