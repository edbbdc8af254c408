package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"tiro/net"
)

// checksumLength is how many hexadecimal digits of a SHA-256 a checksum has.
const checksumLength = 16

func checksum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])[:checksumLength]
}

// Fingerprint returns the checksum of a weights file that holds w. Episode files
// name by it the network that played them.
func Fingerprint(w *net.Weights) (string, error) {
	sum, err := w.Checksum()
	if err != nil {
		return "", err
	}
	return sum[:checksumLength], nil
}

// sealKey begins the line of a run's configuration that holds its checksum.
const sealKey = "# checksum "

// seal puts the checksum of a configuration in front of it, where it stays if the
// end of the file is lost.
func seal(text []byte) []byte { return append(sealOf(text), text...) }

func sealOf(text []byte) []byte {
	return fmt.Appendf(nil, "%s%s; remove this line if you change the file by hand\n", sealKey, checksum(text))
}

// checkSeal returns an error if a configuration differs from what was sealed.
// One without a seal passes. The seal may be any line: it was once the last one.
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
