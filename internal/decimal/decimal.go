// Package decimal writes numbers for people.
package decimal

import (
	"fmt"
	"strings"
)

// Signed returns x with its sign and so many digits after the point. A number that is rounded
// to zero has a plus sign: -0 looks like an error.
func Signed(x float64, digits int) string {
	text := fmt.Sprintf("%+.*f", digits, x)
	if strings.Trim(text, "-0.") == "" {
		return "+" + text[1:]
	}
	return text
}
