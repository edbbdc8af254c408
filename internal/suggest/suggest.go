// Package suggest finds corrections of misspelled words for error messages.
package suggest

import "strings"

// Distance returns the smallest number of byte insertions, deletions and replacements that
// turn a into b (Levenshtein 1966).
func Distance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the number of edits from the part of a read so far to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := corner
			if a[i] != b[j] {
				replace++
			}
			corner = row[j+1]
			row[j+1] = min(replace, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}

// Closest returns the word with the fewest edits from name in lower case, if there are
// fewer than half as many as name has letters. The first of several is returned.
func Closest(name string, words []string) (near string, ok bool) {
	fewest := (len(name) + 1) / 2
	for _, word := range words {
		if n := Distance(strings.ToLower(name), word); n < fewest {
			near, fewest, ok = word, n, true
		}
	}
	return near, ok
}
