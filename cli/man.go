package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"tiro/disk"
)

// manCommand writes manual pages, for packagers.
func manCommand(fsys disk.FS) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man --dir FOLDER",
		Short: "Write the manual pages of all commands",
		Long: `Man writes the manual pages of all commands (tiro.1, tiro-train.1, …) to a folder, which
it creates if necessary. Their date is SOURCE_DATE_EPOCH or today.`,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			unlock, err := disk.LockFolder(fsys, dir, "tiro*.1")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, unlock()) }()
			cmd.Root().DisableAutoGenTag = true
			return writeMan(fsys, dir, cmd.Root(), doc.GenManHeader{Section: "1", Source: "tiro " + build()})
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write to `FOLDER`")
	return required(cmd, "dir")
}

// writeMan writes the page of cmd and the pages of its sub-commands.
func writeMan(fsys disk.FS, dir string, cmd *cobra.Command, header doc.GenManHeader) error {
	var page bytes.Buffer
	own := header // GenMan adds the title
	if err := doc.GenMan(cmd, &own, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	if err := disk.WriteFile(fsys, filepath.Join(dir, name), disk.Bytes(page.Bytes())); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writeMan(fsys, dir, sub, header); err != nil {
			return err
		}
	}
	return nil
}
