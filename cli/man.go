package cli

import (
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes manual pages, for packagers.
func manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man --dir FOLDER",
		Short: "Write the manual pages of all commands",
		Long: `Man writes the manual pages of all commands (tiro.1, tiro-train.1, …) to a folder, which
it creates if necessary.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			date := buildTime()
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "tiro " + build(), Date: &date}, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` to write to")
	return required(cmd, "dir")
}

// buildTime returns the time of the commit from which this program was built, 1970 if that is
// unknown.
func buildTime() (date time.Time) {
	date = time.Unix(0, 0).UTC()
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return date
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if known, err := time.Parse(time.RFC3339, s.Value); err == nil {
				date = known
			}
		}
	}
	return date
}
