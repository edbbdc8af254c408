package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/goccy/go-yaml"

	"tiro/configs"
	"tiro/disk"
	"tiro/format"
	"tiro/rundir"
)

// configHeader is the header of the configuration in a run folder. Configurations written
// by users need no header.
var configHeader = format.Header{Format: 2, What: "tiro run"}

// Load reads a YAML file over c. Keys that are not in the file keep their values. The error
// lists all unknown keys and all values of the wrong type with their positions. Load does
// not call Validate, since the caller may change further settings first.
func (c *Config) Load(path string) error {
	data, err := disk.ReadFile(disk.OS{}, path, configs.MaxSize)
	if err != nil {
		return err
	}
	return c.Decode(path, data)
}

// Decode is Load for text; name stands for the file in errors.
func (c *Config) Decode(name string, data []byte) error { return c.decode(name, data, false) }

// decode decodes a configuration. The configuration of a run must have a header.
func (c *Config) decode(name string, data []byte, ofRun bool) error {
	document, err := configs.Parse(name, data)
	if err != nil {
		return err
	}
	header, found := document.TakeHeader()
	if found || ofRun {
		err = header.Check(configHeader)
	}
	switch {
	case err != nil && !found:
		return fmt.Errorf("%s: %w; if you removed the lines \"format: %d\" and \"what: %s\", restore them",
			name, err, configHeader.Format, configHeader.What)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return document.Decode(c)
}

// Read returns the configuration in a run folder.
func Read(f rundir.Folder) (Config, error) {
	c, path := Default(""), f.Path(rundir.ConfigFile)
	data, err := f.ReadFile(rundir.ConfigFile, configs.MaxSize)
	if err != nil {
		return c, err
	}
	if err := checkSeal(data); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, c.decode(path, data, true)
}

// Update compares c with the configuration in the run folder, if there is one, and writes c
// if it differs or the file was edited by hand. It returns the changes, and an error if a
// changed setting is fixed for the run. The note is written as a comment.
func Update(l *rundir.Locked, c *Config, note string) (changes []configs.Change, err error) {
	changes, err = Changes(l.Folder, c)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (len(changes) > 0 || Edited(l.Folder)) {
		err = write(l, c, note)
	}
	return changes, err
}

// Changes returns the differences between c and the configuration in a run folder, and an
// error if a changed setting is fixed for the run.
func Changes(f rundir.Folder, c *Config) (changes []configs.Change, err error) {
	old, err := Read(f)
	if err != nil {
		return nil, err
	}
	changes = configs.Changes(&old, c)
	var refused []error
	for _, change := range changes {
		if fixed(change.Key) {
			refused = append(refused, errors.New(change.String()))
		}
	}
	if len(refused) > 0 {
		return nil, fmt.Errorf("%s: this setting of a run cannot change; restore it, train in another folder, or use tiro fork: %w", f.Path(rundir.ConfigFile), errors.Join(refused...))
	}
	return changes, nil
}

// fixed reports whether a setting cannot change during a run.
func fixed(key string) bool {
	return key == "game" || key == "seed" || strings.HasPrefix(key, "given_games") || strings.HasPrefix(key, "net.")
}

// write writes the complete configuration after the note, which becomes a comment.
func write(l *rundir.Locked, c *Config, note string) error {
	header, err := yaml.Marshal(configHeader)
	if err != nil {
		return err
	}
	data, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	if note != "" {
		note = "# " + strings.ReplaceAll(note, "\n", "\n# ") + "\n"
	}
	return l.WriteBytes(l.Path(rundir.ConfigFile), seal(fmt.Appendf(nil, "# The whole configuration of this run.\n%s%s%s", note, header, data)))
}
