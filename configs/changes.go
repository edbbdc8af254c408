package configs

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// Change is a setting that differs between two configurations.
type Change struct {
	Key      string // such as selfplay.search.simulations
	Old, New any
}

// String returns the change as "KEY was OLD, is NEW".
func (c Change) String() string {
	return fmt.Sprintf("%s was %s, is %s", c.Key, text(c.Old), text(c.New))
}

// Section returns the first part of the key.
func (c Change) Section() string {
	section, _, _ := strings.Cut(c.Key, ".")
	return section
}

// Changes returns the settings that differ between two structs of the same type, in the
// order of the fields.
func Changes[T any](before, after *T) (changes []Change) {
	var walk func(key string, b, a reflect.Value)
	walk = func(key string, b, a reflect.Value) {
		if b.Kind() == reflect.Struct {
			for field, old := range b.Fields() {
				walk(joinKey(key, keyOf(field)), old, a.FieldByIndex(field.Index))
			}
			return
		}
		old, now := b.Interface(), a.Interface()
		if !reflect.DeepEqual(old, now) && text(old) != text(now) { // empty lists may be nil
			changes = append(changes, Change{key, old, now})
		}
	}
	walk("", reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
	return changes
}

// Assignments returns the arguments of Set that turn before into after, in the order of
// the fields.
func Assignments[T any](before, after *T) (assignments []string) {
	for _, change := range Changes(before, after) {
		assignments = append(assignments, change.Key+"="+text(change.New))
	}
	return assignments
}

// text returns a setting as in a configuration, on one line.
func text(value any) string {
	t, err := yaml.MarshalWithOptions(value, yaml.Flow(true))
	if err != nil {
		panic(err) // settings are numbers, strings and lists of these
	}
	return strings.TrimSpace(string(t))
}
