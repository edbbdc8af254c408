// Package configs holds the configurations that come with the program, and
// reads configurations strictly: YAML text into any struct whose fields have
// yaml tags.
//
//	c := recipe.Default("coerceo")
//	document, err := configs.Parse("my.yaml", text)
//	err = document.Decode(&c) // what the text does not name stays
//	err = configs.Set(&c, "net.channels=96")
//
// An unknown key, a value of another type and a number out of the type's range
// are errors that name the place and the key that may have been meant. Fields
// may be structs, slices, strings, booleans, int, uint64, float64 and Bytes.
// What values make sense is for the Validate methods of the structs to say.
package configs

import "embed"

// Files holds every configuration that comes with the program: NAME.yaml for the
// game NAME, and others that are named by their path.
//
//go:embed *.yaml
var Files embed.FS
