//go:build !windows

package cli

// enableSequences does nothing: on this system, terminals interpret control sequences.
func enableSequences() {}
