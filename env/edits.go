package env

// Edits returns how many bytes must be inserted, deleted or replaced to make b
// of a (Levenshtein 1966). Messages use it to find what somebody may have meant
// by a word that nothing has for a name.
func Edits(a, b string) int {
	row := make([]int, len(b)+1) // row[j]: edits from the part of a read so far to b[:j]
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
