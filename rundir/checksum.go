package rundir

import (
	"crypto/sha256"
	"encoding/hex"

	"tiro/net"
)

// checksumLength is the number of hexadecimal digits of a checksum, the first ones of a SHA-256.
const checksumLength = 16

// Checksum returns the checksum of a text in a run folder.
func Checksum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])[:checksumLength]
}

// Fingerprint returns the checksum of a weights file that holds w. An episode file identifies its
// network by this fingerprint.
func Fingerprint(w *net.Weights) (string, error) {
	sum, err := w.Checksum()
	if err != nil {
		return "", err
	}
	return sum[:checksumLength], nil
}
