package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"tiro/disk"
)

// maxFile is the maximum size of a game's file, in bytes.
const maxFile = 1 << 20

// folder is a host.Store with a file for each game. Several servers may share a folder.
type folder struct {
	disk disk.FS
	dir  string
}

func (f folder) path(id string) string { return filepath.Join(f.dir, id+".pgn") }

// Save implements host.Store.
func (f folder) Save(id string, data []byte) error {
	return f.fault(disk.WriteShared(f.disk, f.path(id), disk.Bytes(data)))
}

// prepare creates the folder if necessary, and checks that games can be saved in it.
func (f folder) prepare() error {
	if err := disk.MkdirAll(f.disk, f.dir); err != nil {
		return err
	}
	err := disk.RemoveStale(f.disk, f.dir, time.Now())
	probe := f.path("probe." + rand.Text())
	if err == nil {
		err = disk.WriteShared(f.disk, probe, disk.Bytes(nil))
	}
	if err == nil {
		err = f.disk.Remove(probe)
	}
	if err != nil {
		return fmt.Errorf("games cannot be saved in %w", f.fault(err))
	}
	return nil
}

// fault converts an error of a file in the folder to an error of the folder, because the name
// of the file means nothing to users.
func (f folder) fault(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", f.dir, fault.Err)
	}
	return err
}

// Load implements host.Store.
func (f folder) Load(id string) ([]byte, error) {
	return disk.ReadFile(f.disk, f.path(id), maxFile)
}
