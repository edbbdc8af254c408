package rundir

import (
	"crypto/sha256"
	"encoding/hex"

	"tiro/net"
)

// checksumLength is how many hexadecimal digits of a SHA-256 a checksum has.
const checksumLength = 16

// Checksum returns the checksum of a text of the run.
func Checksum(text []byte) string {
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
