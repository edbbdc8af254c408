// Command wasm builds the program of static pages, web/wasm, compressed, into
// web/static, beside a record of what it was built from:
//
//	go run ./scripts/wasm          builds it
//	go run ./scripts/wasm -check   fails if a build is not what is there
//
// The same Go builds the same bytes everywhere. Another Go builds others, so that
// -check then says only that it cannot tell.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"tiro/disk"
	"tiro/internal/sources"
	"tiro/web"
)

const (
	program = "tiro/web/wasm"
	folder  = "web/static"
)

func main() {
	check := flag.Bool("check", false, "compare with what is there")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "wasm:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	if check && web.ProgramBuiltBy() != runtime.Version() {
		fmt.Printf("NOT CHECKED: %s/%s was built by %s, and this is %s\n", folder, web.ProgramFile, web.ProgramBuiltBy(), runtime.Version())
		return nil
	}
	data, err := build()
	if err != nil {
		return err
	}
	digest, err := sources.Digest(".", program)
	if err != nil {
		return err
	}
	record := fmt.Appendf(nil, "%s\n%s\n", runtime.Version(), digest)
	write := writeFile
	if check {
		write = checkFile
	}
	if err := write(web.ProgramFile, data); err != nil {
		return err
	}
	return write(web.ProgramRecord, record)
}

// writeFile writes a file of the folder.
func writeFile(name string, data []byte) error {
	path := filepath.Join(folder, name)
	fmt.Printf("%s: %d bytes\n", path, len(data))
	return disk.WriteFile(disk.OS{}, path, disk.Bytes(data))
}

// checkFile returns an error if a file of the folder does not hold data.
func checkFile(name string, data []byte) error {
	path := filepath.Join(folder, name)
	there, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(there, data) {
		err = fmt.Errorf("%s is not what its sources make: make wasm", path)
	}
	return err
}

// build returns the program, compressed.
func build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "tiro-wasm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "tiro.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, program)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT=", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build %s: %w", program, err)
	}
	code, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer code.Close()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(z, code); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
