package train

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"tiro/env"
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

// hint says what a person may have meant by an unknown key of t, which is the
// section at path: one edit away for every three letters.
func hint(path, key string, t reflect.Type) string {
	best, least := "", len(key)/3+1
	consider := func(full, name string) {
		if d := env.Edits(key, name); d < least {
			best, least = full, d
		}
	}
	for _, name := range keysOf(t) {
		consider(joinKey(path, name), name)
	}
	if best == "" { // perhaps in the wrong section
		walkKeys("", reflect.TypeFor[Config](), consider)
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

// Changes returns all settings that differ from old's, each as "KEY was OLD, is
// NEW", in the order of the fields.
func (c *Config) Changes(old *Config) (changes []string) {
	differences(old, c, func(path string, before, after any) {
		changes = append(changes, fmt.Sprintf("%s was %s, is %s", path, inWords(before), inWords(after)))
	})
	return changes
}

// Assignments returns what Set takes to make c of old, in the order of the
// fields.
func (c *Config) Assignments(old *Config) (assignments []string, err error) {
	differences(old, c, func(path string, _, after any) {
		value, fault := yaml.MarshalWithOptions(after, yaml.Flow(true))
		err = errors.Join(err, fault)
		assignments = append(assignments, path+"="+strings.TrimSpace(string(value)))
	})
	if err != nil {
		return nil, fmt.Errorf("train: write settings: %w", err)
	}
	return assignments, nil
}

// differences calls visit with every setting that is not the same in both, in
// the order of the fields.
func differences(old, c *Config, visit func(path string, before, after any)) {
	paths, before := flatten(old)
	_, after := flatten(c)
	for _, p := range paths {
		if inWords(before[p]) != inWords(after[p]) {
			visit(p, before[p], after[p])
		}
	}
}

// inWords returns a setting for people.
func inWords(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.Len() == 0 {
		return "[]"
	}
	return fmt.Sprint(value)
}

// flatten returns every setting by its dotted path, and the paths in the order
// of the fields.
func flatten(c *Config) (paths []string, values map[string]any) {
	values = map[string]any{}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if v.Kind() == reflect.Struct {
			for i := range v.NumField() {
				walk(joinKey(path, keyOf(v.Type().Field(i))), v.Field(i))
			}
			return
		}
		paths = append(paths, path)
		values[path] = v.Interface()
	}
	walk("", reflect.ValueOf(*c))
	return paths, values
}
