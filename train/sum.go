package train

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"tiro/format"
)

// sumKey begins the checksum in a line of metrics. No text within a line can
// hold it, since a quotation mark in a text is escaped.
const sumKey = `,"sum":"`

// sumLength is how many hexadecimal digits a checksum has.
const sumLength = 16

// sum returns a checksum of text.
func sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])[:sumLength]
}

// sign sets m.Sum to the checksum of the text in front of it.
func (m *Metrics) sign() error {
	told := *m
	told.Sum, told.Machine = "", nil
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	m.Sum = sum(bytes.TrimSuffix(text, []byte("}")))
	return nil
}

// readMetrics reads a line of metrics, without spaces.
func readMetrics(line []byte) (m Metrics, err error) {
	if err := format.CheckJSON(line, metricsHeader); err != nil {
		return m, err
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return m, err
	}
	at := bytes.LastIndex(line, []byte(sumKey))
	if want := sum(line[:max(0, at)]); m.Sum != want {
		return m, fmt.Errorf("its checksum is %s; it says %.20q", want, m.Sum)
	}
	return m, nil
}

// readFigures reads the figures in a checkpoint, and returns them as
// metrics.jsonl has them too.
func readFigures(figures json.RawMessage) (m Metrics, line []byte, err error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, figures); err != nil {
		return m, nil, err
	}
	m, err = readMetrics(compact.Bytes())
	return m, compact.Bytes(), err
}

// sealKey begins the last line of a run's configuration.
const sealKey = "# checksum "

// seal ends the text of a configuration with its checksum.
func seal(text []byte) []byte {
	return fmt.Appendf(text, "%s%s; take this line out if you change the file by hand\n", sealKey, sum(text))
}

// checkSeal returns an error if a configuration is not as it was sealed. One
// without a seal passes.
func checkSeal(text []byte) error {
	at := bytes.LastIndex(text, []byte(sealKey))
	if at < 0 || bytes.Equal(seal(bytes.Clone(text[:at])), text) {
		return nil
	}
	return errors.New("its checksum differs: it was changed by hand, or is damaged; if all of it is as you want it, take its last line out and run the command again, or else put a copy in its place")
}
