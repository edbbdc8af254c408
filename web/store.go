package web

import (
	"path/filepath"

	"tiro/disk"
)

// maxFile bounds the file of a game.
const maxFile = 1 << 20

// folder keeps each game in a file of its own.
type folder struct {
	disk disk.FS
	dir  string
}

func (f folder) path(id string) string { return filepath.Join(f.dir, id+".json") }

// Save implements host.Store.
func (f folder) Save(id string, data []byte) error {
	return disk.WriteFile(f.disk, f.path(id), disk.Bytes(data))
}

// Load implements host.Store.
func (f folder) Load(id string) ([]byte, error) {
	return disk.ReadFile(f.disk, f.path(id), maxFile)
}
