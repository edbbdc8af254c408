// Package wasm is the program of a static page: rules, search, networks and the games of
// package web/host, in a web worker. It uses the browser only through the object tiro, which
// the worker's script (web/src/worker.ts) defines.
package wasm
