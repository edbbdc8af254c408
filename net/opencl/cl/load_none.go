//go:build nogpu || !(linux || darwin || windows) || !(amd64 || arm64)

package cl

// Load returns ErrNotInBuild.
func Load() (*Library, error) { return nil, ErrNotInBuild }
