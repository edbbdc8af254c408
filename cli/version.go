package cli

import (
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tiro/net/kernel"
)

// licenses holds the licences of this program and of everything linked into it;
// make licenses writes it.
//
//go:embed licenses.txt
var licenses string

func versionCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the Go release and the backend, or the licences",
		Long: `Version prints the version of Tiro, the Go release and the backend that computes networks
on this machine. --licenses prints the licences of Tiro, of Go and of every module linked
into the program, which must accompany copies of it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				_, err := io.WriteString(cmd.OutOrStdout(), licenses)
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "tiro %s\n%s %s/%s, backend %s\n",
				build(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel.Best().Name())
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "licenses", false, "print the licences")
	return cmd
}

// build returns the version of this program, which Go derives from the commit
// that it was built from; "(devel)" if that is not known.
func build() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
