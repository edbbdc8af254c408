package configs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is an amount of memory or of disk. As text it is a number and a unit,
// such as 2GiB, 1.5GB or 512MiB, or none for 0, which as a setting is no bound.
type Bytes int64

// MaxBytes bounds what a setting may ask for: a million GiB.
const MaxBytes = 1 << 50

// units by name, the largest first.
var units = []struct {
	name  string
	bytes int64
}{
	{"TiB", 1 << 40},
	{"TB", 1e12},
	{"GiB", 1 << 30},
	{"GB", 1e9},
	{"MiB", 1 << 20},
	{"MB", 1e6},
	{"KiB", 1 << 10},
	{"KB", 1e3},
	{"B", 1},
}

// none is how the absence of a bound is written.
const none = "none"

// UnmarshalText reads what a person writes. On error b is as it was.
func (b *Bytes) UnmarshalText(text []byte) error {
	if string(text) == none || string(text) == "0" {
		*b = 0
		return nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || strings.Trim(number, "0123456789.") != "" {
			break
		}
		if x *= float64(u.bytes); x > MaxBytes {
			return fmt.Errorf("more than %v", Bytes(MaxBytes))
		}
		*b = Bytes(math.Round(x))
		return nil
	}
	return errors.New("no amount of bytes")
}

// MarshalText writes b to be read back exactly.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String returns b exactly, in the largest unit that it is a whole number of.
func (b Bytes) String() string {
	if b == 0 {
		return none
	}
	for _, u := range units {
		if int64(b)%u.bytes == 0 {
			return strconv.FormatInt(int64(b)/u.bytes, 10) + u.name
		}
	}
	return "" // not reached: the last unit is 1
}

// About returns b to three digits, such as 1.21GiB, for people to read.
func (b Bytes) About() string {
	for _, u := range units {
		if x := float64(b) / float64(u.bytes); x >= 1 && u.bytes&(u.bytes-1) == 0 {
			decimals := 2
			for y := x; y >= 10 && decimals > 0; y /= 10 {
				decimals--
			}
			return strconv.FormatFloat(x, 'f', decimals, 64) + u.name
		}
	}
	return "0B"
}

// Bound returns what b bounds something by: without a bound the largest number.
func (b Bytes) Bound() int64 {
	if b == 0 {
		return math.MaxInt64
	}
	return int64(b)
}
