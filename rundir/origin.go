package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"tiro/configs"
	"tiro/disk"
	"tiro/format"
	"tiro/internal/faults"
)

// Origin is the checkpoint of another run that a run goes on from.
type Origin struct {
	Generation int    `json:"generation"` // of the checkpoint
	Config     string `json:"config"`     // config.yaml of the other run
}

// originsFile is the content of a run's origin.json.
type originsFile struct {
	format.Header
	Origins []Origin `json:"origins"` // the oldest first, the one that the run itself goes on from last
}

var originsHeader = format.Header{Format: 1, What: "tiro origin"}

// Bounds of a run's origin.json.
const (
	maxOrigins     = 100
	maxOriginBytes = maxOrigins * configs.MaxSize
)

// Settings returns the configuration of the run that the origin is a checkpoint of.
func (o Origin) Settings() (Config, error) {
	c := Default("")
	if err := checkSeal([]byte(o.Config)); err != nil {
		return c, err
	}
	return c, c.decode("config", []byte(o.Config), true)
}

// Origins returns which checkpoints of other runs the run goes on from, the oldest first,
// the one that it goes on from itself last. A run that began with random weights has none.
func (f Folder) Origins() ([]Origin, error) {
	path := f.Path(OriginFile)
	data, err := disk.ReadFile(f.fsys, path, maxOriginBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file originsFile
	if err = format.DecodeJSON(data, originsHeader, &file); err == nil {
		err = file.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file.Origins, nil
}

func (f *originsFile) validate() error {
	var all faults.List
	all.Check(len(f.Origins) >= 1 && len(f.Origins) <= maxOrigins, "origins", len(f.Origins), fmt.Sprintf("1 to %d", maxOrigins))
	last := 0
	for i, o := range f.Origins {
		field := fmt.Sprintf("origins[%d].", i)
		all.Check(o.Generation >= last && o.Generation <= maxGenerations, field+"generation", o.Generation, fmt.Sprintf("%d to %d", last, maxGenerations))
		last = max(last, o.Generation)
		c, err := o.Settings()
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			all.Section(field+"config", err)
		}
	}
	return all.Err()
}

// writeOrigins writes where a fork comes from.
func (f *Fork) writeOrigins(l *Locked) error {
	origins, err := f.From.Origins()
	if err != nil {
		return err
	}
	config, err := disk.ReadFile(f.From.fsys, f.From.Path(ConfigFile), configs.MaxSize)
	if err != nil {
		return err
	}
	file := originsFile{originsHeader, append(origins, Origin{f.Generation, string(config)})}
	if err := file.validate(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	return l.WriteBytes(l.Path(OriginFile), append(data, '\n'))
}
