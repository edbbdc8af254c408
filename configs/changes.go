package configs

import (
	"errors"
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
	return fmt.Sprintf("%s was %s, is %s", c.Key, inWords(c.Old), inWords(c.New))
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
		if old, now := b.Interface(), a.Interface(); inWords(old) != inWords(now) {
			changes = append(changes, Change{key, old, now})
		}
	}
	walk("", reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
	return changes
}

// Assignments returns the arguments of Set that turn before into after, in the order of
// the fields.
func Assignments[T any](before, after *T) (assignments []string, err error) {
	for _, change := range Changes(before, after) {
		value, fault := yaml.MarshalWithOptions(change.New, yaml.Flow(true))
		err = errors.Join(err, fault)
		assignments = append(assignments, change.Key+"="+strings.TrimSpace(string(value)))
	}
	return assignments, err
}

// inWords returns the text of a setting for messages.
func inWords(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.Len() == 0 {
		return "[]"
	}
	return fmt.Sprint(value)
}
