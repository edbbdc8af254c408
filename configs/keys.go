package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tiro/internal/suggest"
)

// keysOf returns the YAML keys of a struct in the order of its fields.
func keysOf(t reflect.Type) []string {
	keys := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		keys = append(keys, keyOf(t.Field(i)))
	}
	return keys
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// fieldOf returns the type of the field with that key.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	i := slices.Index(keysOf(t), key)
	if i < 0 {
		return nil, false
	}
	return t.Field(i).Type, true
}

// hint returns which key a person may have meant by an unknown key of the section
// at path, whose type is t. A key is near if it takes one edit for every three
// letters at most.
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
	if best == "" { // perhaps in the wrong section
		walkKeys("", c.root, consider)
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "want " + strings.Join(keysOf(t), ", ")
}

// walkKeys calls visit with the dotted path and the last part of every key.
func walkKeys(path string, t reflect.Type, visit func(full, name string)) {
	for i := range t.NumField() {
		name := keyOf(t.Field(i))
		full := joinKey(path, name)
		visit(full, name)
		if t.Field(i).Type.Kind() == reflect.Struct {
			walkKeys(full, t.Field(i).Type, visit)
		}
	}
}
