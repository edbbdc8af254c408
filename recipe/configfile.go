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

// configHeader is the header of the configuration in a run folder. One that a
// person writes needs none.
var configHeader = format.Header{Format: 2, What: "tiro run"}

// Load reads a YAML file over c: what the file does not name stays. The error
// names every unknown and every ill-typed key with line and column. It does not
// Validate, since more may be set.
func (c *Config) Load(path string) error {
	data, err := disk.ReadFile(disk.OS{}, path, configs.MaxSize)
	if err != nil {
		return err
	}
	return c.Decode(path, data)
}

// Decode is Load for text that errors call name.
func (c *Config) Decode(name string, data []byte) error { return c.decode(name, data, false) }

// decode reads a configuration. That of a run must have a header.
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
		return fmt.Errorf("%s: %w; if its first lines, \"format: %d\" and \"what: %s\", were removed by hand, put them back",
			name, err, configHeader.Format, configHeader.What)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return document.Decode(c)
}

// Read returns the configuration of the run in a folder.
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

// Update compares c with the configuration that the run began with, if it
// has begun, and writes c for the next time. It returns the changes, and refuses
// those that would make it another run. The note is a comment in the file.
func Update(l *rundir.Locked, c *Config, note string) (changes []configs.Change, err error) {
	changes, err = Changes(l.Folder, c)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(changes) > 0 {
		err = write(l, c, note)
	}
	return changes, err
}

// Changes returns in which settings c differs from the configuration of the
// run, and refuses changes that would make it another run.
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
		return nil, fmt.Errorf("%s: a run cannot change this; keep the old setting, train in another folder, or start from this run with tiro fork: %w", f.Path(rundir.ConfigFile), errors.Join(refused...))
	}
	return changes, nil
}

// fixed reports whether a setting is fixed once a run has begun.
func fixed(key string) bool {
	return key == "game" || key == "seed" || strings.HasPrefix(key, "net.")
}

// write writes the whole configuration, after note as a comment.
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
