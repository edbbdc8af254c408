//go:build !race

package cli

// raceDetector reports whether the race detector is enabled.
const raceDetector = false
