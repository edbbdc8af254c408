package disk_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tiro/disk"
)

// WriteFile writes a file completely or not at all.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "report.txt")
	err = disk.WriteFile(disk.OS{}, path, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "12 games")
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := disk.ReadFile(disk.OS{}, path, 1<<20)
	fmt.Print(string(data), err, "\n")
	// Output:
	// 12 games
	// <nil>
}
