//go:build !unix

package cli

const unprivilegedTiro = "tiro-unprivileged"

func mainUnprivileged() { mainTiro() }
