package env

import "reflect"

// Size returns the memory that a position takes, in bytes. A State holds no
// pointers to memory that it changes, so that this is the size of its type.
func Size(s State) int {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return int(t.Size())
}
