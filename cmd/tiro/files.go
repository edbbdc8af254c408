package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tiro/disk"
)

// checkTarget says early what would keep saveFile from writing path.
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

// saveFile writes a file that a person named: one that appears whole or not at
// all or, if path is a device or a pipe, straight to it.
func saveFile(path string, write func(io.Writer) error) error {
	if err := checkTarget(path); err != nil {
		return err
	}
	save := atomically
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		save = writeDevice
	}
	if err := save(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func atomically(path string, write func(io.Writer) error) error {
	return disk.WriteFile(disk.OS{}, path, write)
}

func writeDevice(path string, write func(io.Writer) error) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return write(file)
}
