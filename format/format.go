// Package format identifies files. Most files that Tiro writes begin with a Header, which
// names the kind of file and the version of its format:
//
//	"format":2,"what":"tiro episodes"
//
// These are the first fields of a JSON object, the first keys of a run's config.yaml, or
// entries in the metadata of weights and ONNX files.
//
// A reader supports exactly one Header, the one written by the same program. It checks a
// file's header before anything else, because names can have another meaning in another
// kind or version of file:
//
//	var fileHeader = format.Header{Format: 2, What: "tiro episodes"}
//	…
//	if err := format.DecodeJSON(line, fileHeader, &header); err != nil {
//
// The version is raised whenever a program that reads the old version would misunderstand or
// reject the new one. No code reads old versions.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
)

// Header identifies the format of a file. Structs written as JSON embed it before their own
// fields.
type Header struct {
	Format int    `json:"format" yaml:"format"` // version of the layout, from 1
	What   string `json:"what" yaml:"what"`     // kind of file, such as "tiro episodes"
}

// ErrForeign is wrapped by the errors of Check for other kinds of file.
var ErrForeign = errors.New("wrong kind of file")

// versionError reports a file in another version of its format. The file is intact, but
// needs another version of tiro.
type versionError string

func (e versionError) Error() string { return string(e) }

// OtherVersion reports whether err is or wraps an error of Check for a file in another
// version of its format.
func OtherVersion(err error) bool {
	_, ok := errors.AsType[versionError](err)
	return ok
}

// Check returns an error unless h equals want, the header that the caller supports.
func (h Header) Check(want Header) error {
	const text = "written by %s tiro: format %d, this one reads format %d"
	switch {
	case h.What != want.What:
		return fmt.Errorf("%w: \"what\" is %.40q, not %q", ErrForeign, h.What, want.What)
	case h.Format < 1:
		return fmt.Errorf("format is %d, not %d", h.Format, want.Format)
	case h.Format < want.Format:
		return versionError(fmt.Sprintf(text, "an older", h.Format, want.Format))
	case h.Format > want.Format:
		return versionError(fmt.Sprintf(text, "a newer", h.Format, want.Format))
	}
	return nil
}

// CheckJSON applies Check to the header of a JSON object.
func CheckJSON(data []byte, want Header) error {
	var h Header
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("%w: damaged file or %w", Explain(err), ErrForeign)
	}
	return h.Check(want)
}

// EncodeJSON writes v as JSON for programs and readers: one field per line, without HTML
// escapes.
func EncodeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// DecodeJSON checks that data is a JSON object with header want, and decodes it into v,
// which must have all its fields.
func DecodeJSON(data []byte, want Header, v any) error {
	if err := CheckJSON(data, want); err != nil {
		return err
	}
	return DecodeStrict(data, v)
}

// DecodeStrict decodes data, a single JSON value, into v. It rejects unknown fields,
// duplicate fields and fields in another spelling, such as "Game" for "game", which
// encoding/json accepts.
func DecodeStrict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	switch err := decoder.Decode(v); {
	case err == io.EOF:
		return errors.New("no JSON value")
	case err != nil:
		return Explain(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return checkKeys(data)
}

// Explain rewrites an error of encoding/json for users. For a value of the wrong type it
// names the field, the value and the expected JSON type instead of Go types.
func Explain(err error) error {
	fault, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	where := "the value"
	if fault.Field != "" {
		where = fmt.Sprintf("field %.40q", fault.Field)
	}
	found := map[string]string{"array": "an array", "bool": "true or false", "number": "a number", "object": "an object", "string": "a string"}
	return fmt.Errorf("%s is %.40s but must be %s", where, cmp.Or(found[fault.Value], fault.Value), wanted(fault.Type))
}

// wanted describes the JSON values that can be decoded into type t.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Array, reflect.Slice:
		return "an array"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("an unsigned %d-bit integer", t.Bits())
	}
	return fmt.Sprintf("a %d-bit integer", t.Bits())
}

// maxKeys bounds the number of keys in an object, since finding duplicates takes quadratic
// time.
const maxKeys = 1000

// checkKeys returns an error if an object in data, which is valid JSON, has duplicate keys
// or keys with escapes or capital letters, which none of ours has.
func checkKeys(data []byte) error {
	var keys [][]byte // of the open objects, concatenated
	var objects []int // index of each open object's first key
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{':
			objects = append(objects, len(keys))
		case '}':
			keys = keys[:objects[len(objects)-1]]
			objects = objects[:len(objects)-1]
		case '"':
			begin := i + 1
			for i = begin; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			rest := bytes.TrimLeft(data[i+1:], " \t\r\n")
			if len(rest) == 0 || rest[0] != ':' {
				continue // a string value
			}
			key, first := data[begin:i], objects[len(objects)-1]
			switch {
			case bytes.ContainsFunc(key, func(r rune) bool { return r == '\\' || r >= 0x80 || 'A' <= r && r <= 'Z' }):
				return fmt.Errorf("key %.40q must be lower case, without escapes", key)
			case slices.ContainsFunc(keys[first:], func(k []byte) bool { return bytes.Equal(k, key) }):
				return fmt.Errorf("duplicate key %.40q", key)
			case len(keys)-first == maxKeys:
				return fmt.Errorf("more than %d keys in an object", maxKeys)
			}
			keys = append(keys, key)
		}
	}
	return nil
}

// Put stores the header in the metadata of a file.
func (h Header) Put(metadata map[string]string) {
	metadata["format"] = strconv.Itoa(h.Format)
	metadata["what"] = h.What
}

// FromMetadata returns the header stored in the metadata of a file. A format that is not a
// number becomes 0, which Check rejects.
func FromMetadata(metadata map[string]string) Header {
	n, _ := strconv.Atoi(metadata["format"])
	return Header{Format: n, What: metadata["what"]}
}

// errUTF16 reports text in UTF-16.
var errUTF16 = errors.New("the text is UTF-16, not UTF-8")

// Text removes the byte order mark that some editors write before UTF-8. It rejects UTF-16.
func Text(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// TextReader returns a reader that applies Text to the bytes of r.
func TextReader(r io.Reader) io.Reader { return &textReader{Reader: bufio.NewReader(r)} }

type textReader struct {
	*bufio.Reader
	begun bool
}

func (t *textReader) Read(p []byte) (int, error) {
	if !t.begun {
		t.begun = true
		for n := 1; n <= 3; n++ { // no more than needed: r may be waiting for our answer
			begin, err := t.Peek(n)
			if _, fault := Text(begin); fault != nil {
				return 0, fault
			}
			if err != nil || !bytes.HasPrefix([]byte("\ufeff"), begin) && (n > 1 || begin[0] < 0xfe) {
				break
			}
			if n == 3 {
				_, _ = t.Discard(3) // the mark is buffered
			}
		}
	}
	return t.Reader.Read(p)
}
