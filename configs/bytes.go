package configs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is an amount of memory or disk space. Its text is a number with a unit, such as 2GiB,
// 1.5GB or 512MiB. The text of 0 is "none", which as a limit means no limit.
type Bytes int64

// MaxBytes is the largest amount that can be read: a million GiB.
const MaxBytes = 1 << 50

// units lists the units from the largest to the smallest.
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

// none is the text of 0.
const none = "none"

// UnmarshalText implements encoding.TextUnmarshaler. On error b is unchanged.
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
		if err != nil || strings.Trim(number, "0123456789.") != "" || x > 0 && x*float64(u.bytes) < 1 {
			break // less than a byte would be no limit
		}
		if x *= float64(u.bytes); x > MaxBytes {
			return fmt.Errorf("amount is above %v", Bytes(MaxBytes))
		}
		*b = Bytes(math.Round(x))
		return nil
	}
	return errors.New("not an amount of bytes")
}

// MarshalText implements encoding.TextMarshaler. UnmarshalText reads back the exact amount.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String returns the exact amount, in the largest unit of which it is a whole multiple.
func (b Bytes) String() string {
	if b == 0 {
		return none
	}
	for _, u := range units {
		if int64(b)%u.bytes == 0 {
			return strconv.FormatInt(int64(b)/u.bytes, 10) + u.name
		}
	}
	return "" // not reached: the last unit is 1 byte
}

// About returns the amount rounded to three digits, such as 1.21GiB.
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

// Bound returns b as an upper limit: math.MaxInt64 if b is 0.
func (b Bytes) Bound() int64 {
	if b == 0 {
		return math.MaxInt64
	}
	return int64(b)
}
