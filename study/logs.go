package study

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tiro/disk"
	"tiro/format"
)

// maxLog bounds a file of finished matches or fits, in bytes: some hundred thousand matches.
const maxLog = 1 << 26

// openLog passes the content of the file at path to read, unless there is no such file.
func openLog(fsys disk.FS, path string, read func(data []byte) error) error {
	data, err := disk.ReadFile(fsys, path, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := read(data); err != nil {
		return fmt.Errorf("%s: %w; move it elsewhere, or name another folder", path, err)
	}
	return nil
}

// saveLog writes a log as JSON. The file appears complete or stays as it was.
func saveLog(fsys disk.FS, path string, content any) error {
	return save(fsys, path, func(w io.Writer) error { return format.EncodeJSON(w, content) })
}
