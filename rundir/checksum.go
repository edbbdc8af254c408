package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

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

// sealKey begins the last line of a run's configuration.
const sealKey = "# checksum "

// seal appends its checksum to the text of a configuration.
func seal(text []byte) []byte {
	return fmt.Appendf(text, "%s%s; remove this line if you change the file by hand\n", sealKey, checksum(text))
}

// checkSeal returns an error if a configuration differs from what was sealed.
// One without a seal passes.
func checkSeal(text []byte) error {
	at := bytes.LastIndex(text, []byte(sealKey))
	if at < 0 || bytes.Equal(seal(bytes.Clone(text[:at])), text) {
		return nil
	}
	return errors.New("its checksum differs: it was changed by hand, or is damaged; if the file is as you want it, remove its last line and run the command again, or else put a copy in its place")
}
