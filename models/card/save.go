package card

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tiro/disk"
	"tiro/models"
)

// Save writes a folder with a card: models.WeightsFile, MarkdownFile and File, with the given
// contents and in this order, because the card vouches for the other files. Files of the same
// content are kept. If others exist, Save fails before it writes anything, unless replaces
// accepts the folder's older card. The older card is renamed first, so that no card is ever
// beside other weights. After an interruption, the same call completes the folder.
func Save(fsys disk.FS, dir string, content map[string][]byte, replaces func(older Card) bool) (err error) {
	unlock, err := disk.LockFolder(fsys, dir, models.WeightsFile, MarkdownFile, File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var missing []string
	taken := ""
	for _, name := range []string{models.WeightsFile, MarkdownFile, File} {
		path := filepath.Join(dir, name)
		switch there, same, err := compare(fsys, path, content[name]); {
		case err != nil:
			return err
		case !there:
			missing = append(missing, name)
		case !same:
			taken = path
		}
	}
	path := filepath.Join(dir, File)
	aside := path + ".old"
	if taken != "" {
		if err := setAside(fsys, path, aside, replaces); err != nil {
			return errors.Join(fmt.Errorf("%s already exists with other content: choose another folder", taken), err)
		}
		missing = []string{models.WeightsFile, MarkdownFile, File}
	}
	for _, name := range missing {
		path := filepath.Join(dir, name)
		if err := disk.WriteFile(fsys, path, disk.Bytes(content[name])); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	if err := fsys.Remove(aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fsys.SyncDir(dir)
}

// compare reports whether a file exists and whether its content equals data.
func compare(fsys disk.FS, path string, data []byte) (there, same bool, err error) {
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return true, false, err
	}
	held, err := disk.ReadFile(fsys, path, info.Size())
	return true, bytes.Equal(held, data), err
}

// setAside renames the card at path, unless an earlier call has renamed it, if replaces accepts
// it.
func setAside(fsys disk.FS, path, aside string, replaces func(Card) bool) error {
	data, err := disk.ReadFile(fsys, path, MaxBytes)
	already := errors.Is(err, fs.ErrNotExist)
	if already {
		data, err = disk.ReadFile(fsys, aside, MaxBytes)
	}
	if err != nil {
		return err
	}
	if older, err := Read(data); err != nil || !replaces(older) {
		return errors.Join(err, fmt.Errorf("%s is not an older card of this game", path))
	}
	if already {
		return nil
	}
	return errors.Join(fsys.Rename(path, aside), fsys.SyncDir(filepath.Dir(path)))
}
