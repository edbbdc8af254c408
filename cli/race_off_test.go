//go:build !race

package cli

// raceDetector tells whether the test runs under the race detector.
const raceDetector = false
