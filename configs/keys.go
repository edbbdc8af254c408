package configs

import (
	"fmt"
	"reflect"
	"strings"

	"tiro/internal/suggest"
)

// keysOf returns the YAML keys of a struct in the order of its fields.
func keysOf(t reflect.Type) (keys []string) {
	for f := range t.Fields() {
		keys = append(keys, keyOf(f))
	}
	return keys
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// fieldOf returns the type of the field with that key.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for f := range t.Fields() {
		if keyOf(f) == key {
			return f.Type, true
		}
	}
	return nil, false
}

// HasKey reports whether the struct T has the key at a dotted path.
func HasKey[T any](path string) bool {
	t := reflect.TypeFor[T]()
	for key := range strings.SplitSeq(path, ".") {
		if t.Kind() != reflect.Struct {
			return false
		}
		field, ok := fieldOf(t, key)
		if !ok || key == "" {
			return false
		}
		t = field
	}
	return true
}

// hint returns a suggestion for an unknown key in the section at path, whose type is t: a similar
// key or the list of the section's keys. Keys are similar if they differ by at most one edit per
// three letters.
func (c *checker) hint(path, key string, t reflect.Type) string {
	best, least := "", len(key)/3+1
	consider := func(full, name string) {
		if d := suggest.Distance(key, name); d < least {
			best, least = full, d
		}
	}
	for _, name := range keysOf(t) {
		consider(joinKey(path, name), name)
	}
	if best == "" && !strings.Contains(path, "[") { // perhaps of another section
		walkKeys("", c.root, consider)
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return " (" + strings.Join(keysOf(t), ", ") + ")"
}

// walkKeys calls visit with the dotted path and the last part of every key.
func walkKeys(path string, t reflect.Type, visit func(full, name string)) {
	for f := range t.Fields() {
		name := keyOf(f)
		full := joinKey(path, name)
		visit(full, name)
		if f.Type.Kind() == reflect.Struct {
			walkKeys(full, f.Type, visit)
		}
	}
}
