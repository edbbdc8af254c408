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

// Option declares an option of a game: a whole number or one of several words.
type Option struct {
	Name     string
	Default  int      // for numbers
	Min, Max int      // for numbers
	Halves   bool     // allow multiples of 0.5
	Words    []string // allowed words, the default first; nil for numbers
	Help     string   // meaning of the option
}

// Initial returns the default as written in a game string.
func (o *Option) Initial() string {
	if o.Words != nil {
		return o.Words[0]
	}
	return strconv.Itoa(o.Default)
}

// Range describes the allowed values.
func (o *Option) Range() string {
	if o.Words != nil {
		return strings.Join(o.Words, ", ")
	}
	if o.Halves {
		return fmt.Sprintf("%d to %d in steps of 0.5", o.Min, o.Max)
	}
	return fmt.Sprintf("%d to %d", o.Min, o.Max)
}

// Options are the options in a game string such as "mnk:m=3,n=3,k=3". A game reads each
// option that it declares once, with Int, Halves, Choice or Number, and then calls Err, which
// reports all faults at once.
type Options struct {
	name    string
	values  map[string]string
	read    []string // names of the options read so far
	changed []string // options read with a non-default value, as name=value
	faults  []error
}

// maxName is the maximum length of a game string in bytes. It guards against strings from
// files; a string with every option takes less than half of it.
const maxName = 256

// ParseName splits a game string into the game's name and its options.
func ParseName(game string) (name string, o *Options, err error) {
	if len(game) > maxName {
		return "", nil, fmt.Errorf("game string has %d bytes, more than the maximum of %d", len(game), maxName)
	}
	name, rest, found := strings.Cut(game, ":")
	if name == "" {
		return "", nil, fmt.Errorf("game string %q has no name (NAME or NAME:OPTION=VALUE,…)", game)
	}
	o = &Options{name: name, values: map[string]string{}}
	if !found {
		return name, o, nil
	}
	for item := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok || key == "" || value == "" {
			return "", nil, fmt.Errorf("game string %q: option %q does not have the form OPTION=VALUE", game, item)
		}
		if _, twice := o.values[key]; twice {
			return "", nil, fmt.Errorf("game string %q: option %q is given twice", game, key)
		}
		o.values[key] = value
	}
	return name, o, nil
}

// WithOptions returns the game string game with the given options added or replaced. They
// are written as in a game string, NAME=VALUE,…. The result may be neither canonical nor
// valid.
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

// Halves reads a number in steps of 0.5, not below 0, and returns twice its value.
func (o *Options) Halves(option Option) int {
	whole, half := strings.CutSuffix(o.text(&option), ".5")
	n, err := strconv.Atoi(whole)
	twice := 2 * n
	if half {
		twice++
	}
	if err != nil || strings.HasPrefix(whole, "-") || twice < 2*option.Min || twice > 2*option.Max {
		o.wrong(&option)
		return 2 * option.Default
	}
	if twice != 2*option.Default {
		o.changed = append(o.changed, fmt.Sprintf("%s=%g", option.Name, float64(twice)/2))
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

// Number reads one of the option's words, all of which are whole numbers.
func (o *Options) Number(option Option) int {
	n, err := strconv.Atoi(option.Words[o.Choice(option)])
	if err != nil {
		panic(err) // a fault of the game's declaration
	}
	return n
}

// text returns the value of option or its default, and records that the game knows the
// option.
func (o *Options) text(option *Option) string {
	o.read = append(o.read, option.Name)
	if text, ok := o.values[option.Name]; ok {
		return text
	}
	return option.Initial()
}

func (o *Options) wrong(option *Option) {
	allowed := "one of " + option.Range()
	if option.Words == nil {
		allowed = "a whole number from " + option.Range()
		if option.Halves {
			allowed = "a number from " + option.Range()
		}
	}
	o.faults = append(o.faults, fmt.Errorf("option %s=%s: must be %s", option.Name, o.values[option.Name], allowed))
}

// Err returns an error that lists all invalid and all unknown options, or nil.
func (o *Options) Err() error {
	faults := slices.Clone(o.faults)
	for _, key := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(o.read, key) {
			fault := fmt.Errorf("unknown option %q: the game has no options", key)
			if len(o.read) > 0 {
				fault = fmt.Errorf("unknown option %q (%s)", key, strings.Join(o.read, ", "))
			}
			if near, ok := suggest.Closest(key, o.read); ok {
				fault = fmt.Errorf("%w; did you mean %s?", fault, near)
			}
			faults = append(faults, fault)
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("game %s: %w", o.name, errors.Join(faults...))
	}
	return nil
}

// String returns the canonical game string: the name and all options with non-default
// values, in the order in which the game read them.
func (o *Options) String() string {
	if len(o.changed) == 0 {
		return o.name
	}
	return o.name + ":" + strings.Join(o.changed, ",")
}
