// Package configs holds the configurations that come with the program: for a
// game NAME the file NAME.yaml, and others to be named by path.
package configs

import "embed"

// Files holds every configuration.
//
//go:embed *.yaml
var Files embed.FS
