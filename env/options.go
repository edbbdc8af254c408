package env

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tiro/internal/suggest"
)

// Option declares an option of a game: a whole number, or one of some words.
type Option struct {
	Name     string
	Default  int      // of a number
	Min, Max int      // of a number
	Halves   bool     // whether a number may end in .5
	Words    []string // those to choose from, the default first; nil for a number
	Help     string   // what it means
}

// Initial returns the default as it is written in a game string.
func (o *Option) Initial() string {
	if o.Words != nil {
		return o.Words[0]
	}
	return strconv.Itoa(o.Default)
}

// Range says what the option may be.
func (o *Option) Range() string {
	if o.Words != nil {
		return strings.Join(o.Words, ", ")
	}
	if o.Halves {
		return fmt.Sprintf("%d to %d, also with .5", o.Min, o.Max)
	}
	return fmt.Sprintf("%d to %d", o.Min, o.Max)
}

// Options are the options of a game string such as "mnk:m=3,n=3,k=3", still to
// be read by the game. A game reads each of the options that it declares once, by
// Int or Choice, and then calls Err, which reports every fault at once.
type Options struct {
	name    string
	values  map[string]string
	read    []string // names of the options that the game has read
	changed []string // those that differ from their default, as name=value
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

// WithOptions returns the game string game with other options, which are written as
// in a game string, NAME=VALUE,…, and take the place of those of the same name. The
// result need not be canonical, nor a game.
func WithOptions(game, options string) (string, error) {
	if options == "" {
		return game, nil
	}
	name, own, err := ParseName(game)
	if err != nil {
		return "", err
	}
	_, others, err := ParseName(name + ":" + options)
	if err != nil {
		return "", err
	}
	maps.Copy(own.values, others.values)
	var items []string
	for _, key := range slices.Sorted(maps.Keys(own.values)) {
		items = append(items, key+"="+own.values[key])
	}
	return name + ":" + strings.Join(items, ","), nil
}

// Int reads a whole number.
func (o *Options) Int(option Option) int {
	n, err := strconv.Atoi(o.text(&option))
	if err != nil || n < option.Min || n > option.Max {
		o.wrong(&option)
		return option.Default
	}
	if n != option.Default {
		o.changed = append(o.changed, option.Name+"="+strconv.Itoa(n))
	}
	return n
}

// Halves reads a number of an option with Halves, and returns twice the number.
func (o *Options) Halves(option Option) int {
	text := o.text(&option)
	whole, half := strings.CutSuffix(text, ".5")
	n, err := strconv.Atoi(whole)
	twice := 2 * n
	if half {
		twice++
	}
	if err != nil || n < 0 || twice < 2*option.Min || twice > 2*option.Max {
		o.wrong(&option)
		return 2 * option.Default
	}
	if twice != 2*option.Default {
		o.changed = append(o.changed, option.Name+"="+text)
	}
	return twice
}

// Choice reads one of the option's words and returns its index.
func (o *Options) Choice(option Option) int {
	i := slices.Index(option.Words, o.text(&option))
	if i < 0 {
		o.wrong(&option)
		return 0
	}
	if i > 0 {
		o.changed = append(o.changed, option.Name+"="+option.Words[i])
	}
	return i
}

// text returns the value given for option, or its default, and notes that the
// game knows it.
func (o *Options) text(option *Option) string {
	o.read = append(o.read, option.Name)
	if text, ok := o.values[option.Name]; ok {
		return text
	}
	return option.Initial()
}

func (o *Options) wrong(option *Option) {
	want := option.Range()
	if option.Words == nil {
		want = "a whole number from " + want
	}
	o.faults = append(o.faults, fmt.Errorf("option %s=%s; want %s", option.Name, o.values[option.Name], want))
}

// Err reports all options that could not be read and all that the game does not
// know.
func (o *Options) Err() error {
	faults := slices.Clone(o.faults)
	for _, key := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(o.read, key) {
			want := "this game has none"
			if len(o.read) > 0 {
				want = "want " + strings.Join(o.read, ", ")
			}
			if near, ok := suggest.Closest(key, o.read); ok {
				want += "; did you mean " + near + "?"
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
// differ from their defaults, in the order in which the game read them.
func (o *Options) String() string {
	if len(o.changed) == 0 {
		return o.name
	}
	return o.name + ":" + strings.Join(o.changed, ",")
}
