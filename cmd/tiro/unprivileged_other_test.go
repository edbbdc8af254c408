//go:build !unix

package main

const unprivilegedTiro = "tiro-unprivileged"

func mainUnprivileged() { main() }
