package configs

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
)

// Changes returns the settings that differ between two structs of the same type,
// each as "KEY was OLD, is NEW", in the order of the fields.
func Changes[T any](before, after *T) (changes []string) {
	differences(before, after, func(path string, old, now any) {
		changes = append(changes, fmt.Sprintf("%s was %s, is %s", path, inWords(old), inWords(now)))
	})
	return changes
}

// Assignments returns what Set takes to turn before into after, in the order of
// the fields.
func Assignments[T any](before, after *T) (assignments []string, err error) {
	differences(before, after, func(path string, _, now any) {
		value, fault := yaml.MarshalWithOptions(now, yaml.Flow(true))
		err = errors.Join(err, fault)
		assignments = append(assignments, path+"="+strings.TrimSpace(string(value)))
	})
	return assignments, err
}

// differences calls visit with every setting that differs, in the order of the
// fields.
func differences[T any](before, after *T, visit func(path string, old, now any)) {
	var walk func(path string, b, a reflect.Value)
	walk = func(path string, b, a reflect.Value) {
		if b.Kind() == reflect.Struct {
			for field, old := range b.Fields() {
				walk(joinKey(path, keyOf(field)), old, a.FieldByIndex(field.Index))
			}
			return
		}
		if old, now := b.Interface(), a.Interface(); inWords(old) != inWords(now) {
			visit(path, old, now)
		}
	}
	walk("", reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
}

// inWords returns a setting as people read it.
func inWords(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.Len() == 0 {
		return "[]"
	}
	return fmt.Sprint(value)
}
