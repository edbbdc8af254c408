package envtest

import (
	"strconv"

	"tiro/env"
)

// maxRefused is the maximum number of consecutive values that a game may reject.
const maxRefused = 100

// Extremes returns game strings for the extremes of an option: every word, or the smallest
// number, the one after the default and the largest. A game may reject numbers within an
// option's bounds, such as odd ones; the next accepted number is used instead. The string
// others with further options is appended, such as ",k=2".
func Extremes(e env.Entry, o env.Option, others string) (names []string) {
	name := func(value string) string { return e.Name + ":" + o.Name + "=" + value + others }
	for _, word := range o.Words {
		names = append(names, name(word))
	}
	if o.Words != nil {
		return names
	}
	for _, from := range []struct{ value, step int }{{o.Min, 1}, {min(o.Max, o.Default+1), 1}, {o.Max, -1}} {
		value := from.value
		for range maxRefused {
			if _, err := (env.Table{e}).New(name(strconv.Itoa(value))); err == nil || value < o.Min || value > o.Max {
				break
			}
			value += from.step
		}
		if value < o.Min || value > o.Max {
			value = from.value // all are rejected, as the error for this value will show
		}
		names = append(names, name(strconv.Itoa(value)))
	}
	return names
}
