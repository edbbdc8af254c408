package recipe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tiro/configs"
	"tiro/format"
	"tiro/models/card"
	"tiro/rundir"
)

// originsFile is the content of a run's origin.json.
type originsFile struct {
	Origins []card.Origin `json:"origins"` // the oldest first; the run itself continues from the last
}

// Limits of a run's origin.json.
const (
	maxOrigins     = 100
	maxOriginBytes = maxOrigins * configs.MaxSize
)

// OriginConfig returns the configuration of the run that an origin is a checkpoint of.
func OriginConfig(o card.Origin) (Config, error) {
	c := Default("")
	if err := checkSeal([]byte(o.Config)); err != nil {
		return c, err
	}
	err := c.decode("config", []byte(o.Config), true)
	c.Game = o.Game // the canonical game string
	return c, err
}

// Origins returns the checkpoints of other runs from which the run in a folder descends,
// oldest first. The run itself continues from the last one. A run that began with random
// weights has none.
func Origins(f rundir.Folder) ([]card.Origin, error) {
	path := f.Path(rundir.OriginFile)
	data, err := f.ReadFile(rundir.OriginFile, maxOriginBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file originsFile
	if err = format.DecodeStrict(data, &file); err == nil {
		err = file.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file.Origins, nil
}

func (f *originsFile) validate() error {
	var all card.Checker
	all.Check(len(f.Origins) >= 1 && len(f.Origins) <= maxOrigins, "origins", len(f.Origins), fmt.Sprintf("1 to %d", maxOrigins))
	for i, o := range f.Origins {
		field := fmt.Sprintf("origins[%d].", i)
		all.Origin(field, o, f.Origins[:i])
		all.Check(o.Generation <= maxGenerations, field+"generation", o.Generation, fmt.Sprintf("at most %d", maxGenerations))
		for j, o := range append([]card.Origin{o}, o.Averaged...) {
			at := field
			if j > 0 {
				at = fmt.Sprintf("%saveraged[%d].", field, j-1)
			}
			c, err := OriginConfig(o)
			if err == nil {
				err = c.Validate()
			}
			if err != nil {
				all.Section(at+"config", err)
			}
		}
	}
	return all.Err()
}

// writeOrigins writes a run's origins, oldest first.
func writeOrigins(l *rundir.Locked, origins []card.Origin) error {
	file := originsFile{origins}
	if err := file.validate(); err != nil {
		return err
	}
	return l.Write(l.Path(rundir.OriginFile), func(w io.Writer) error { return format.EncodeJSON(w, file) })
}
