package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"tiro/rundir"
)

// sealKey begins the line of a run's configuration that holds its checksum.
const sealKey = "# checksum "

// seal puts the checksum of a configuration in front of it, where it stays if the
// end of the file is lost.
func seal(text []byte) []byte { return append(sealOf(text), text...) }

func sealOf(text []byte) []byte {
	return fmt.Appendf(nil, "%s%s; remove this line if you change the file by hand\n", sealKey, rundir.Checksum(text))
}

// checkSeal returns an error if a configuration differs from what was sealed.
// One without a seal passes.
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
	return errors.New("its checksum differs: it was changed by hand, or is damaged; if the file is as you want it, remove the line that begins with \"" + sealKey + "\" and run the command again, or else put a copy in its place")
}
