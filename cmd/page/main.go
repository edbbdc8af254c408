//go:build js && wasm

// Command page is the program of exported pages, built for a browser; see make browser.
package main

import (
	"tiro/env/games"
	"tiro/web/wasm"
)

func main() { wasm.Main(games.All()...) }
