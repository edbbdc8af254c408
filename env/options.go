package env

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Options are the options of a game string such as "mnk:m=3,n=3,k=3", still to
// be read by the game. A game asks for each of its options once, by Int or
// Choice, and then calls Err, which reports every fault at once.
type Options struct {
	name    string
	values  map[string]string
	asked   []string // keys the game has asked for
	changed []string // those that differ from their default, as key=value
	faults  []error
}

// maxName bounds a game string, in bytes: it may come from a file. Those with
// every option take less than half.
const maxName = 256

// ParseName splits a game string into the game's name and its options.
func ParseName(game string) (name string, o *Options, err error) {
	if len(game) > maxName {
		return "", nil, fmt.Errorf("game string of %d bytes; want at most %d", len(game), maxName)
	}
	name, rest, found := strings.Cut(game, ":")
	if name == "" {
		return "", nil, fmt.Errorf("game string %q: no name; want NAME or NAME:OPTION=VALUE,…", game)
	}
	o = &Options{name: name, values: map[string]string{}}
	if !found {
		return name, o, nil
	}
	for item := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok || key == "" || value == "" {
			return "", nil, fmt.Errorf("game string %q: option %q; want OPTION=VALUE", game, item)
		}
		if _, twice := o.values[key]; twice {
			return "", nil, fmt.Errorf("game string %q: option %q is given twice", game, key)
		}
		o.values[key] = value
	}
	return name, o, nil
}

// Int reads a whole number from min to max.
func (o *Options) Int(key string, def, min, max int) int {
	n := def
	if text, ok := o.take(key); ok {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < min || n > max {
			o.faults = append(o.faults, fmt.Errorf("option %s=%s; want a whole number from %d to %d", key, text, min, max))
			return def
		}
	}
	if n != def {
		o.changed = append(o.changed, key+"="+strconv.Itoa(n))
	}
	return n
}

// Choice reads one of several words, the first of which is the default, and
// returns its index.
func (o *Options) Choice(key string, words ...string) int {
	text, ok := o.take(key)
	if !ok {
		return 0
	}
	i := slices.Index(words, text)
	if i < 0 {
		o.faults = append(o.faults, fmt.Errorf("option %s=%s; want %s", key, text, strings.Join(words, ", ")))
		return 0
	}
	if i > 0 {
		o.changed = append(o.changed, key+"="+words[i])
	}
	return i
}

// take returns what was given for key, if anything, and notes that the game
// knows it.
func (o *Options) take(key string) (text string, ok bool) {
	o.asked = append(o.asked, key)
	text, ok = o.values[key]
	return text, ok
}

// Err reports all options that could not be read and all that were never
// asked for.
func (o *Options) Err() error {
	faults := slices.Clone(o.faults)
	for _, key := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(o.asked, key) {
			want := "this game has none"
			if len(o.asked) > 0 {
				want = "want " + strings.Join(o.asked, ", ")
			}
			faults = append(faults, fmt.Errorf("unknown option %q; %s", key, want))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("game %s: %w", o.name, errors.Join(faults...))
	}
	return nil
}

// String returns the canonical game string: the name, and the options that
// differ from their defaults in the order the game asked for them.
func (o *Options) String() string {
	if len(o.changed) == 0 {
		return o.name
	}
	return o.name + ":" + strings.Join(o.changed, ",")
}
