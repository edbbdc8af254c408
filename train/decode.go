package train

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tiro/disk"
	"tiro/format"
)

// Bounds on a configuration. The library's time and memory grow with the square
// of what is nested: 64 KiB of brackets took it 10 s and 6.5 GB.
const (
	maxConfig   = 1 << 16 // bytes
	maxBrackets = 1000    // of those that open
	maxYAMLLine = 4000    // bytes: "- - - -" nests too
)

// checkNesting returns an error for text that the YAML library might take long
// to read.
func checkNesting(data []byte) error {
	if n := bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxBrackets {
		return fmt.Errorf("%d opening brackets; want at most %d", n, maxBrackets)
	}
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if len(line) > maxYAMLLine {
			return fmt.Errorf("a line of %d bytes; want at most %d", len(line), maxYAMLLine)
		}
	}
	return nil
}

// Load reads a YAML file over c: what the file does not name stays. It reports
// every unknown and every ill-typed key with line and column. It does not
// Validate, since more may be set.
func (c *Config) Load(path string) error {
	if err := c.load(disk.OS{}, path); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

func (c *Config) load(fsys disk.FS, path string) error {
	data, err := disk.ReadFile(fsys, path, maxConfig)
	if err != nil {
		return err
	}
	return c.decode(path, data, false)
}

// loadSealed is load for the configuration of a run, which holds a checksum.
func (c *Config) loadSealed(fsys disk.FS, path string) error {
	data, err := disk.ReadFile(fsys, path, maxConfig)
	if err != nil {
		return err
	}
	if err := checkSeal(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.decode(path, data, true)
}

// Decode is Load for text that is called name in errors.
func (c *Config) Decode(name string, data []byte) error {
	if err := c.decode(name, data, false); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	return nil
}

// configHeader is the kind of configuration that a run folder keeps. One that a
// person writes needs no mark.
var configHeader = format.Header{Format: 1, What: "tiro run"}

// decode reads a configuration; one of a run must have a mark.
func (c *Config) decode(name string, data []byte, ofRun bool) error {
	where := func(at *token.Position) string {
		return fmt.Sprintf("%s:%d:%d: ", name, at.Line, at.Column)
	}
	if len(data) > maxConfig {
		return fmt.Errorf("%s: %d bytes; want at most %d", name, len(data), maxConfig)
	}
	if err := checkNesting(data); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return placed(err, where)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return fmt.Errorf("%s: want one YAML document that is not empty", name)
	}
	body := file.Docs[0].Body
	mark, marked := takeMark(body)
	if marked || ofRun {
		err = mark.Check(configHeader)
	}
	switch {
	case err != nil && !marked:
		return fmt.Errorf("%s: %w; if its first lines, \"format: %d\" and \"what: %s\", were taken out by hand, put them back; a run that never had them is of an older tiro and cannot go on: name another run folder",
			name, err, configHeader.Format, configHeader.What)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.apply(body, where)
}

// takeMark takes the mark out of the keys of a document, and reports whether
// there was one.
func takeMark(body ast.Node) (mark format.Header, marked bool) {
	m, ok := body.(*ast.MappingNode)
	if !ok {
		return mark, false
	}
	metadata := map[string]string{}
	isMark := func(entry *ast.MappingValueNode) bool {
		key := entry.Key.String()
		if _, ok := fieldOf(reflect.TypeFor[format.Header](), key); !ok {
			return false
		}
		metadata[key] = entry.Value.GetToken().Value
		return true
	}
	m.Values = slices.DeleteFunc(m.Values, isMark)
	return format.FromMetadata(metadata), len(metadata) > 0
}

// apply sets what the document body names, or reports all that is wrong with
// it, each fault after what where says of its place.
func (c *Config) apply(body ast.Node, where func(*token.Position) string) error {
	check := checker{}
	check.node("", body, reflect.TypeFor[Config]())
	var faults []error
	for _, f := range check.faults {
		faults = append(faults, errors.New(where(f.at)+f.text))
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	next := *c
	if err := yaml.NodeToValue(body, &next, yaml.Strict()); err != nil {
		return placed(err, where)
	}
	*c = next
	return nil
}

// Set carries out an assignment such as "net.channels=32": the dotted path of
// a key and a value as YAML writes it.
func (c *Config) Set(assignment string) error {
	if err := c.set(assignment); err != nil {
		return fmt.Errorf("train: set %q: %w", assignment, err)
	}
	return nil
}

func (c *Config) set(assignment string) error {
	path, value, ok := strings.Cut(assignment, "=")
	if !ok || path == "" || strings.TrimSpace(value) == "" || strings.ContainsAny(assignment, "\n\r") {
		return errors.New("want KEY=VALUE on one line")
	}
	var text strings.Builder
	for i, key := range strings.Split(path, ".") {
		if !isKey(key) {
			return fmt.Errorf("%q is no key; want letters, digits and _, joined by dots", path)
		}
		text.WriteString("\n" + strings.Repeat(" ", i) + key + ":")
	}
	text.WriteString(" " + value + "\n")
	file, err := parser.ParseBytes([]byte(text.String()), 0)
	if err != nil || len(file.Docs) != 1 {
		return fmt.Errorf("%q is not a value that YAML knows", value)
	}
	return c.apply(file.Docs[0].Body, func(*token.Position) string { return "" })
}

func isKey(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// placed puts an error of the YAML library on one line, without its excerpt of
// the file, after what where says of its place.
func placed(err error, where func(*token.Position) string) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return errors.New(where(e.GetToken().Position) + e.GetMessage())
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// checker compares a YAML document with the type it is for. The library's own
// strictness lets numbers with fractions and quoted numbers through, and stops
// at the first fault.
type checker struct{ faults []fault }

type fault struct {
	at   *token.Position
	text string
}

func (c *checker) fault(n ast.Node, format string, args ...any) {
	c.faults = append(c.faults, fault{n.GetToken().Position, fmt.Sprintf(format, args...)})
}

// node checks the value n of the key at path.
func (c *checker) node(path string, n ast.Node, t reflect.Type) {
	ok := false
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[Bytes]():
		ok = isBytes(n)
	case kind == reflect.Struct:
		if m, isMap := n.(ast.MapNode); isMap {
			c.mapping(path, m, t)
			return
		}
	case kind == reflect.Slice:
		if s, isList := n.(*ast.SequenceNode); isList {
			for i, item := range s.Values {
				c.node(fmt.Sprintf("%s[%d]", path, i), item, t.Elem())
			}
			return
		}
	case kind == reflect.String:
		switch n.(type) {
		case *ast.StringNode, *ast.LiteralNode:
			ok = true
		}
	case kind == reflect.Bool:
		_, ok = n.(*ast.BoolNode)
	case kind == reflect.Float64:
		ok = isNumber(n)
	default:
		ok = isWhole(n, t)
	}
	if !ok {
		if path == "" {
			path = "the file"
		}
		c.fault(n, "%s is %s; want %s", path, describe(n), wanted(t))
	}
}

// isWhole reports whether n is a whole number that fits into a t.
func isWhole(n ast.Node, t reflect.Type) bool {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return false
	}
	switch x := i.Value.(type) { // uint64 unless it is below 0
	case int64:
		return t.Kind() != reflect.Uint64 || x >= 0
	case uint64:
		return t.Kind() == reflect.Uint64 || x <= math.MaxInt64
	}
	return false
}

// isBytes reports whether n is an amount of bytes.
func isBytes(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode:
		_, err := parseBytes(n.GetToken().Value)
		return err == nil
	}
	return false
}

// isNumber reports whether n is a finite number. The library takes 1e-3, which
// has no point, for text, and then reads it as a number all the same.
func isNumber(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FloatNode, *ast.IntegerNode:
		return true
	case *ast.StringNode:
		x, err := strconv.ParseFloat(n.Value, 64)
		return err == nil && n.Token.Type == token.StringType && !math.IsInf(x, 0) && !math.IsNaN(x)
	}
	return false
}

// mapping checks keys against the fields of t.
func (c *checker) mapping(path string, m ast.MapNode, t reflect.Type) {
	for entries := m.MapRange(); entries.Next(); {
		key := entries.Key().String()
		full := joinKey(path, key)
		field, ok := fieldOf(t, key)
		if !ok {
			c.fault(entries.Key(), "unknown key %s; %s", full, hint(path, key, t))
			continue
		}
		c.node(full, entries.Value(), field)
	}
}

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// describe says what stands where something else was wanted.
func describe(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "a section of keys"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return "an anchor, alias or tag, which are not known here"
	}
	return fmt.Sprintf("%.60q", n.GetToken().Value)
}

func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[Bytes]() {
		return "an amount such as 2GiB, 1.5GB or 512MiB, at most 1024TiB, or none"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "a section with the keys " + strings.Join(keysOf(t), ", ")
	case reflect.Slice:
		return "a list, such as []"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "a whole number from 0"
	}
	return "a whole number"
}
