// Package decimal formats numbers for display.
package decimal

import (
	"fmt"
	"strings"
)

// Signed formats x with its sign and the given number of digits after the point. A number
// that rounds to zero gets a plus sign, because -0 looks like an error.
func Signed(x float64, digits int) string {
	text := fmt.Sprintf("%+.*f", digits, x)
	if strings.Trim(text, "-0.") == "" {
		return "+" + text[1:]
	}
	return text
}
