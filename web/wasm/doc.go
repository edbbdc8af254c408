// Package wasm is the program of a static page: rules, search, network and the games
// of package web/host, in a web worker. The worker's script (web/src/worker.ts) leaves
// the object tiro for it, which is all that it knows of the browser.
package wasm
