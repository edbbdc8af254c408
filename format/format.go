// Package format identifies files. Every file that Tiro writes begins with a
// Header, which says what kind of file it is and which version of that:
//
//	"format":1,"what":"tiro episodes"
//
// These are the first fields of a JSON object, the first keys of a run's
// config.yaml, and entries in the metadata of safetensors and ONNX files.
//
// A reader knows exactly one Header, the one that it writes, and compares it
// with that of a file before it looks at anything else, because the same names
// may have another meaning in another kind or version of file:
//
//	var fileHeader = format.Header{Format: 2, What: "tiro episodes"}
//	…
//	if err := format.DecodeJSON(line, fileHeader, &header); err != nil {
//
// The version changes whenever a program that knows the old one would
// misunderstand or refuse the new one. There is no code that reads old versions.
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

// Header identifies a file. Structs that are written as JSON embed it in front
// of their own fields.
type Header struct {
	Format int    `json:"format" yaml:"format"` // version of the layout, from 1
	What   string `json:"what" yaml:"what"`     // kind of file, such as "tiro episodes"
}

// ErrForeign is wrapped by Check for files that are something else.
var ErrForeign = errors.New("not a file of this kind by tiro")

// versionError is what Check says of a file of another version of its format.
// Nothing is wrong with the file; another version of tiro reads it.
type versionError string

func (e versionError) Error() string { return string(e) }

// OtherVersion reports whether err is, or wraps, what Check says of a file of
// another version of its format.
func OtherVersion(err error) bool {
	_, ok := errors.AsType[versionError](err)
	return ok
}

// Check returns an error unless h is the header of a file that a reader of want
// can read.
func (h Header) Check(want Header) error {
	const text = "written by %s tiro: format %d, this one reads format %d"
	switch {
	case h.What != want.What:
		return fmt.Errorf("%w: what is %.40q; want %q", ErrForeign, h.What, want.What)
	case h.Format < 1:
		return fmt.Errorf("format is %d; want %d", h.Format, want.Format)
	case h.Format < want.Format:
		return versionError(fmt.Sprintf(text, "an older", h.Format, want.Format))
	case h.Format > want.Format:
		return versionError(fmt.Sprintf(text, "a newer", h.Format, want.Format))
	}
	return nil
}

// CheckJSON is Check for the header of a JSON object.
func CheckJSON(data []byte, want Header) error {
	var h Header
	if err := json.Unmarshal(data, &h); err != nil {
		return fmt.Errorf("%w; it is damaged, or %w", Explain(err), ErrForeign)
	}
	return h.Check(want)
}

// EncodeJSON writes v as a JSON file for programs and people: a field a line, and text as
// it is, without HTML's escapes.
func EncodeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// DecodeJSON reads data, a JSON object with the header want, into v, which has all
// its fields.
func DecodeJSON(data []byte, want Header, v any) error {
	if err := CheckJSON(data, want); err != nil {
		return err
	}
	return DecodeStrict(data, v)
}

// DecodeStrict reads the one JSON value in data into v. A field that v does not have
// is an error, and so is one that is there twice or spelled in another way, such as
// "Game" for "game", which package json takes for the same.
func DecodeStrict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return Explain(err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return checkKeys(data)
}

// Explain returns an error of package json for people: of a value that does not fit it
// names the field and what would be right, and no type of the program.
func Explain(err error) error {
	fault, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	where := "it"
	if fault.Field != "" {
		where = fmt.Sprintf("field %.40q", fault.Field)
	}
	found := map[string]string{"array": "an array", "bool": "true or false", "number": "a number", "object": "an object", "string": "a string"}
	return fmt.Errorf("%s holds %.40s; want %s", where, cmp.Or(found[fault.Value], fault.Value), wanted(fault.Type))
}

// wanted returns which values of JSON fit a type.
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
		return fmt.Sprintf("a whole number from 0, of %d bits", t.Bits())
	}
	return fmt.Sprintf("a whole number of %d bits", t.Bits())
}

// maxKeys bounds the keys of an object, which are compared with each other.
const maxKeys = 1000

// checkKeys returns an error unless the keys of each object in data, which is valid
// JSON, differ and are spelled as ours are: without escapes and capital letters.
func checkKeys(data []byte) error {
	var keys [][]byte // of the objects that are open, one after the other
	var objects []int // where the keys of each begin
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
				continue // a text
			}
			key, first := data[begin:i], objects[len(objects)-1]
			switch {
			case bytes.ContainsFunc(key, func(r rune) bool { return r == '\\' || r >= 0x80 || 'A' <= r && r <= 'Z' }):
				return fmt.Errorf("key %.40q; want lower-case letters without escapes", key)
			case slices.ContainsFunc(keys[first:], func(k []byte) bool { return bytes.Equal(k, key) }):
				return fmt.Errorf("key %.40q is there twice", key)
			case len(keys)-first == maxKeys:
				return fmt.Errorf("more than %d keys in an object", maxKeys)
			}
			keys = append(keys, key)
		}
	}
	return nil
}

// Put writes the header into the metadata of a file.
func (h Header) Put(metadata map[string]string) {
	metadata["format"] = strconv.Itoa(h.Format)
	metadata["what"] = h.What
}

// FromMetadata returns the header in the metadata of a file. A format that is
// not a number becomes 0, which Check refuses.
func FromMetadata(metadata map[string]string) Header {
	n, _ := strconv.Atoi(metadata["format"])
	return Header{Format: n, What: metadata["what"]}
}

// errUTF16 is the error for a text in another encoding.
var errUTF16 = errors.New("the text is UTF-16; want UTF-8")

// Text returns a text without the byte order mark that some editors write in front of UTF-8,
// and refuses UTF-16.
func Text(data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, errUTF16
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// TextReader returns a reader of what Text returns of the bytes that r returns.
func TextReader(r io.Reader) io.Reader { return &textReader{Reader: bufio.NewReader(r)} }

type textReader struct {
	*bufio.Reader
	begun bool
}

func (t *textReader) Read(p []byte) (int, error) {
	if !t.begun {
		t.begun = true
		for n := 1; n <= 3; n++ { // no more than it takes: another program may wait for an answer
			begin, err := t.Peek(n)
			if _, fault := Text(begin); fault != nil {
				return 0, fault
			}
			if err != nil || !bytes.HasPrefix([]byte("\ufeff"), begin) && begin[0] < 0xfe {
				break
			}
			if n == 3 {
				_, _ = t.Discard(3) // which are there
			}
		}
	}
	return t.Reader.Read(p)
}
