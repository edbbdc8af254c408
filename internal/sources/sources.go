// Package sources digests the sources of a program, so that a test can say whether a
// build of it that is kept was made from them.
package sources

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what go list says of a package.
type listed struct {
	Dir        string
	ImportPath string
	Standard   bool
	GoFiles    []string
	EmbedFiles []string
	Module     *struct {
		Path, Version string
		Main          bool
	}
}

// Digest returns the SHA-256, in hexadecimal, of all that a program for js/wasm is
// built from but Go itself: the files of this module, of Go files without comments, and the versions of other modules. Folder is any in the module, and program
// the import path of the program.
func Digest(folder, program string) (string, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,GoFiles,EmbedFiles,Module", program)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	output, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return "", fmt.Errorf("sources: go list %s: %w", program, err)
	}
	sum := sha256.New()
	for packages := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := packages.Decode(&p); err == io.EOF {
			return hex.EncodeToString(sum.Sum(nil)), nil
		} else if err != nil {
			return "", fmt.Errorf("sources: go list %s: %w", program, err)
		}
		if err := p.add(sum); err != nil {
			return "", fmt.Errorf("sources: %s: %w", p.ImportPath, err)
		}
	}
}

// add adds what the package is made of.
func (p *listed) add(sum hash.Hash) error {
	if p.Standard || p.Module == nil {
		return nil
	}
	fmt.Fprintf(sum, "package %s %s\n", p.ImportPath, p.Module.Version)
	if !p.Module.Main {
		return nil
	}
	for _, name := range append(p.GoFiles, p.EmbedFiles...) {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		if filepath.Ext(name) == ".go" {
			data = Tokens(data)
		}
		fmt.Fprintf(sum, "file %s %d\n%s\n", filepath.ToSlash(name), len(data), data)
	}
	return nil
}

// Tokens returns what a compiler sees of a Go file: its tokens, and of comments the
// directives only.
func Tokens(source []byte) []byte {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", files.Base(), len(source)), source, nil, scanner.ScanComments)
	var b bytes.Buffer
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return b.Bytes()
		case kind == token.COMMENT && !strings.HasPrefix(literal, "//go:"):
		case kind == token.SEMICOLON: // whether written or not
			b.WriteString(";\n")
		case literal != "":
			fmt.Fprintf(&b, "%s ", literal)
		default:
			fmt.Fprintf(&b, "%s ", kind)
		}
	}
}
