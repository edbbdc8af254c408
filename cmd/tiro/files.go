package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tiro/disk"
)

// checkTarget returns an error that saveFile would return for path, before the
// work whose result is to be saved.
func checkTarget(path string) error {
	if path == "-" {
		return usage(errors.New("write -: want a file; the standard output is /dev/stdout, a file of that name ./-"))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder; want a file", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// saveFile writes a file that a person named. A regular file appears complete or
// not at all; a device or a pipe is written directly.
func saveFile(path string, write func(io.Writer) error) error {
	if err := checkTarget(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = writeDevice(path, write)
	} else {
		err = disk.WriteFile(disk.OS{}, path, write)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func writeDevice(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// saveJSON writes a value for programs to a file that a person named.
func saveJSON(path string, v any) error {
	return saveFile(path, func(w io.Writer) error { return writeJSON(w, v) })
}

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
