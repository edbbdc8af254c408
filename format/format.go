// Package format marks files. Whatever Tiro writes says first what it is and
// which version of that, in the same two words everywhere:
//
//	"format":1,"what":"tiro episodes"
//
// They are the first fields of a JSON object, the first keys of a run's
// config.yaml, and entries of the metadata of safetensors and ONNX files.
//
// A reader knows one Mark, the newest it can read, and holds a file's own
// against it before it looks at anything else, since another kind of file, or
// a newer one, may mean something else by the same names:
//
//	var mark = format.Mark{Format: 2, What: "tiro episodes"}
//	…
//	if err := format.CheckJSON(line, mark); err != nil {
//
// A format is raised when programs that know the old one would misread or
// refuse the new one.
package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Mark is what a file says of itself. Structs that are written as JSON embed
// it before their own fields.
type Mark struct {
	Format int    `json:"format" yaml:"format"` // version of the layout, from 1
	What   string `json:"what" yaml:"what"`     // kind of file, such as "tiro episodes"
}

// Errors of Check, to be told apart by errors.Is.
var (
	// ErrNewer is wrapped for files of a newer tiro: nothing is wrong with
	// them.
	ErrNewer = errors.New("written by a newer tiro")
	// ErrForeign is wrapped for files that are something else.
	ErrForeign = errors.New("not a file of this kind by tiro")
)

// Check returns an error unless m is the mark of a file that a reader of files
// up to newest can read.
func (m Mark) Check(newest Mark) error {
	switch {
	case m.What != newest.What:
		return fmt.Errorf("%w: what is %q; want %q", ErrForeign, clip(m.What), newest.What)
	case m.Format > newest.Format:
		return fmt.Errorf("%w: format %d, this one reads up to %d", ErrNewer, m.Format, newest.Format)
	case m.Format < 1:
		return fmt.Errorf("format is %d; want 1 to %d", m.Format, newest.Format)
	}
	return nil
}

// clip shortens what somebody else has written.
func clip(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// CheckJSON is Check for the mark of a JSON object.
func CheckJSON(data []byte, newest Mark) error {
	var m Mark
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("%w; it is damaged, or %w", err, ErrForeign)
	}
	return m.Check(newest)
}

// Keys of a mark in metadata.
const (
	keyFormat = "format"
	keyWhat   = "what"
)

// Put writes the mark into the metadata of a file.
func (m Mark) Put(metadata map[string]string) {
	metadata[keyFormat] = strconv.Itoa(m.Format)
	metadata[keyWhat] = m.What
}

// Of returns the mark in the metadata of a file. A format that is not a number
// is 0, which no Check lets pass.
func Of(metadata map[string]string) Mark {
	n, _ := strconv.Atoi(metadata[keyFormat])
	return Mark{Format: n, What: metadata[keyWhat]}
}
