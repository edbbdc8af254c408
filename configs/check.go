package configs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// checker compares a YAML document with a struct type. The library's own strict mode accepts
// quoted numbers and fractions as integers, and stops at the first error.
type checker struct {
	document *Document
	root     reflect.Type // of the whole document
	faults   []error
}

func (c *checker) fault(n ast.Node, format string, args ...any) {
	c.faults = append(c.faults, errors.New(c.document.position(n.GetToken())+fmt.Sprintf(format, args...)))
}

// node checks that n, the value of the key at path, fits the type t.
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
		_, isString := n.(*ast.StringNode)
		_, isLiteral := n.(*ast.LiteralNode)
		ok = isString || isLiteral
	case kind == reflect.Bool:
		_, ok = n.(*ast.BoolNode)
	case kind == reflect.Float64:
		ok = isNumber(n)
	default:
		ok = isInteger(n, t)
	}
	if !ok {
		c.fault(n, "%s is %s but must be %s", cmp.Or(path, "the file"), describe(n), wanted(t))
	}
}

// isInteger reports whether n is a whole number that fits into a t.
func isInteger(n ast.Node, t reflect.Type) bool {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return false
	}
	switch x := i.Value.(type) { // uint64 unless it is negative
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
		return new(Bytes).UnmarshalText([]byte(n.GetToken().Value)) == nil
	}
	return false
}

// isNumber reports whether n is a finite number. The library parses 1e-3 as text, since it has no
// decimal point, but decodes it as a number.
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

// mapping checks the keys and values of m against the fields of t.
func (c *checker) mapping(path string, m ast.MapNode, t reflect.Type) {
	for entries := m.MapRange(); entries.Next(); {
		key := entries.Key().String()
		full := joinKey(path, key)
		field, ok := fieldOf(t, key)
		if !ok {
			c.fault(entries.Key(), "unknown key %s%s", full, c.hint(path, key, t))
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

// describe returns a phrase for the value at n, such as "a list".
func describe(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "a section"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return "an unsupported anchor, alias or tag"
	}
	return fmt.Sprintf("%.60q", n.GetToken().Value)
}

// wanted returns a phrase for the values that a field of type t accepts.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[Bytes]() {
		return "an amount such as 2GiB, 1.5GB or 512MiB (at most 1024TiB), or none"
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
		return "a whole number of at least 0"
	}
	return "a whole number"
}
