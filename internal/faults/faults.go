// Package faults collects errors, so that a validator can report all invalid fields at once:
//
//	var f faults.List
//	f.Check(c.Discount > 0, "discount", c.Discount, "above 0")
//	f.Section("resign", c.Resign.Validate())
//	return f.Err()
package faults

import (
	"cmp"
	"errors"
	"fmt"
)

// Fault is the error of a field with an invalid value.
type Fault struct {
	Field string // such as "resign.threshold"
	Value any
	Want  string // the valid values, such as "0 to 1"
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s is %v but must be %s", f.Field, f.Value, f.Want)
}

// List collects faults. The zero List is empty.
type List struct{ errs []error }

// Check adds a fault unless ok. The argument want describes the valid values.
func (l *List) Check(ok bool, field string, value any, want string) {
	if !ok {
		l.errs = append(l.errs, &Fault{field, value, want})
	}
}

// Within adds a fault unless low <= value <= high.
func Within[T cmp.Ordered](l *List, field string, value, low, high T) {
	l.Check(value >= low && value <= high, field, value, fmt.Sprintf("%v to %v", low, high))
}

// Add adds an error, or nothing if it is nil.
func (l *List) Add(err error) { l.Section("", err) }

// Section adds err, the result of validating a part, and prefixes its fields with the
// part's name: a fault of field "threshold" in section "resign" becomes a fault of
// "resign.threshold".
func (l *List) Section(name string, err error) {
	joined, isJoined := err.(interface{ Unwrap() []error })
	fault, isFault := err.(*Fault)
	switch {
	case err == nil:
	case isJoined:
		for _, e := range joined.Unwrap() {
			l.Section(name, e)
		}
	case name == "":
		l.errs = append(l.errs, err)
	case isFault:
		l.errs = append(l.errs, &Fault{name + "." + fault.Field, fault.Value, fault.Want})
	default:
		l.errs = append(l.errs, fmt.Errorf("%s: %w", name, err))
	}
}

// Err returns all errors joined, or nil if there are none.
func (l *List) Err() error { return errors.Join(l.errs...) }
