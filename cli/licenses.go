package cli

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// licenses holds the licences of this program and of everything linked into it;
// make licenses writes it.
//
//go:embed licenses.txt
var licenses string

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of this program and everything linked into it",
		Long: `Licenses prints the licences of Tiro, of Go and of every module that is linked
into this program. Whoever passes the program on has to pass on these texts.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), licenses)
			return err
		},
	}
}
