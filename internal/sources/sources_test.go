package sources_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/sources"
)

func TestTokens(t *testing.T) {
	plain := sources.Tokens([]byte("package p\n\nfunc f() int { return 1 }\n"))
	require.Equal(t, plain, sources.Tokens([]byte("// Package p.\npackage p\n\n// f is.\n\nfunc  f() int { return 1 } // one\n")))
	require.NotEqual(t, plain, sources.Tokens([]byte("package p\n\nfunc f() int { return 2 }\n")))
	require.NotEqual(t, plain, sources.Tokens([]byte("package p\n\n//go:noinline\nfunc f() int { return 1 }\n")))
}

// TestDigest: it changes with the code of a package that the program imports, and not
// with a comment or a test.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	digest := func() string {
		sum, err := sources.Digest(dir, "./cmd")
		require.NoError(t, err)
		return sum
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	write("cmd/main.go", "package main\n\nimport \"example/lib\"\n\nfunc main() { lib.F() }\n")
	write("lib/lib.go", "package lib\n\nfunc F() {}\n")
	write("other/other.go", "package other\n")
	before := digest()
	write("lib/lib.go", "package lib\n\n// F does nothing.\nfunc F() {}\n")
	write("lib/lib_test.go", "package lib\n")
	write("other/other.go", "package other\n\nfunc G() {}\n")
	require.Equal(t, before, digest())
	write("lib/lib.go", "package lib\n\nfunc F() { println() }\n")
	require.NotEqual(t, before, digest())

	_, err := sources.Digest(dir, "./nothing")
	require.ErrorContains(t, err, "nothing")
}
