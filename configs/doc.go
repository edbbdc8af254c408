// Package configs holds the configurations that come with the program and reads configurations
// strictly: YAML text into any struct whose fields have yaml tags.
//
//	c := recipe.Default("coerceo")
//	document, err := configs.Parse("my.yaml", text)
//	err = document.Decode(&c) // fields without a key in the text keep their values
//	err = configs.Set(&c, "net.channels=96")
//
// Unknown keys, values of a wrong type and numbers out of range are errors with the position in
// the text and a suggestion for a misspelt key. Fields may be structs, slices, strings, booleans,
// int, uint64, float64 and Bytes. The structs' Validate methods check the values.
package configs

import "embed"

// Files holds the configurations that come with the program. NAME.yaml is the default of the game
// NAME.
//
//go:embed *.yaml
var Files embed.FS
