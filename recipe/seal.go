package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"tiro/configs"
	"tiro/rundir"
)

// sealKey begins the line with the checksum of a run's configuration.
const sealKey = "# checksum "

// seal adds the checksum before the configuration, where it survives truncation.
func seal(text []byte) []byte { return append(sealOf(text), text...) }

func sealOf(text []byte) []byte {
	return fmt.Appendf(nil, "%s%s; remove this line if you change the file by hand\n", sealKey, rundir.Checksum(text))
}

// Edited reports whether the configuration in a run folder has no checksum, because it was edited
// by hand.
func Edited(f rundir.Folder) bool {
	file, err := f.ReadFile(rundir.ConfigFile, configs.MaxSize)
	return err == nil && !bytes.Contains(file, []byte(sealKey))
}

// checkSeal returns an error if a configuration does not match its checksum. A
// configuration without a checksum passes.
func checkSeal(file []byte) error {
	at := bytes.Index(file, []byte(sealKey))
	if at < 0 {
		return nil
	}
	end := len(file)
	if newline := bytes.IndexByte(file[at:], '\n'); newline >= 0 {
		end = at + newline + 1
	}
	if bytes.Equal(file[at:end], sealOf(slices.Concat(file[:at], file[end:]))) {
		return nil
	}
	return errors.New("wrong checksum: the file was edited or is damaged; if it is as intended, remove the line that begins with \"" + sealKey + "\" and run the command again, otherwise restore a copy")
}
