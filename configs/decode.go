package configs

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tiro/format"
)

// MaxSize is the largest size of a configuration, in bytes.
const MaxSize = 1 << 16

// Further limits on a configuration. The library's time and memory grow with the square of the
// nesting depth: 64 KiB of brackets took 10 s and 6.5 GB.
const (
	maxBrackets = 1000 // opening brackets
	maxLine     = 4000 // bytes; a line such as "- - - -" nests without brackets
)

// Document is a parsed configuration.
type Document struct {
	name string
	body ast.Node
}

// Parse parses data. name stands for data in errors.
func Parse(name string, data []byte) (*Document, error) {
	data, err := format.Text(data)
	if err == nil {
		err = checkSize(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d := &Document{name: name}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, d.located(err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: not exactly one YAML document with content", name)
	}
	d.body = file.Docs[0].Body
	return d, nil
}

// checkSize returns an error for text that may take the YAML library long to parse.
func checkSize(data []byte) error {
	if len(data) > MaxSize {
		return fmt.Errorf("%d bytes, more than the limit of %d", len(data), MaxSize)
	}
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxBrackets {
		return fmt.Errorf("%d opening brackets, more than the limit of %d", n, maxBrackets)
	}
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if len(line) > maxLine {
			return fmt.Errorf("a line of %d bytes, more than the limit of %d", len(line), maxLine)
		}
	}
	return nil
}

// TakeHeader removes the keys of a file's header from the document and returns the header. found
// reports whether the document had any of the keys.
func (d *Document) TakeHeader() (header format.Header, found bool) {
	m, ok := d.body.(*ast.MappingNode)
	if !ok {
		return header, false
	}
	metadata := map[string]string{}
	m.Values = slices.DeleteFunc(m.Values, func(entry *ast.MappingValueNode) bool {
		key := entry.Key.String()
		_, ok := fieldOf(reflect.TypeFor[format.Header](), key)
		if ok {
			metadata[key] = entry.Value.GetToken().Value
		}
		return ok
	})
	return format.FromMetadata(metadata), len(metadata) > 0
}

// Decode sets the fields of the struct that v points to. Fields without a key in the document
// keep their values. The error lists every unknown key and every value of a wrong type, with line
// and column. On error v is unchanged.
func (d *Document) Decode(v any) error {
	target := reflect.ValueOf(v).Elem()
	check := checker{document: d, root: target.Type()}
	check.node("", d.body, target.Type())
	if err := errors.Join(check.faults...); err != nil {
		return err
	}
	next := reflect.New(target.Type())
	next.Elem().Set(target)
	if err := yaml.NodeToValue(d.body, next.Interface(), yaml.Strict()); err != nil {
		return d.located(err)
	}
	target.Set(next.Elem())
	return nil
}

// Set applies assignments such as "net.channels=32" to the struct that v points to. The left
// side is the dotted path of a key, the right side a value in YAML. On error v is unchanged by
// the faulty assignment and those after it.
func Set(v any, assignments ...string) error {
	for _, assignment := range assignments {
		if err := set(v, assignment); err != nil {
			return fmt.Errorf("set %q: %w", assignment, err)
		}
	}
	return nil
}

func set(v any, assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" || strings.TrimSpace(value) == "" || strings.ContainsAny(assignment, "\n\r") {
		return errors.New("not of the form KEY=VALUE on one line")
	}
	var text strings.Builder
	for i, key := range strings.Split(path, ".") {
		if !isKey(key) {
			return fmt.Errorf("%q is not a key: keys consist of letters, digits and _, joined by dots", path)
		}
		text.WriteString("\n" + strings.Repeat(" ", i) + key + ":")
	}
	text.WriteString(" " + value + "\n")
	file, err := parser.ParseBytes([]byte(text.String()), 0)
	if err != nil || len(file.Docs) != 1 {
		return fmt.Errorf("%q is not a value in YAML", value)
	}
	d := Document{body: file.Docs[0].Body}
	return d.Decode(v)
}

func isKey(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// position returns the prefix of an error at a token: "name:line:column: ", or nothing for a
// document without a name.
func (d *Document) position(at *token.Token) string {
	if d.name == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d: ", d.name, at.Position.Line, at.Position.Column)
}

// located returns an error of the YAML library as one line with its position, without the
// library's excerpt of the file.
func (d *Document) located(err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return errors.New(d.position(e.GetToken()) + e.GetMessage())
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
