// Command licenses writes the licences of everything that is linked into tiro,
// on any system that it is built for, to standard output:
//
//	go run ./scripts/licenses >cmd/tiro/licenses.txt
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// module is a module as go list prints it.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// write writes this project's licence, Go's and those of all modules.
func write(w io.Writer) error {
	modules := map[string]module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		if err := linked(modules, system); err != nil {
			return err
		}
	}
	if err := section(w, "Tiro", "."); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	if err := section(w, "Go, its standard library and runtime", strings.TrimSpace(string(root))); err != nil {
		return err
	}
	paths := make([]string, 0, len(modules))
	for path := range modules {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := section(w, path+" "+modules[path].Version, modules[path].Dir); err != nil {
			return err
		}
	}
	return nil
}

// linked adds the modules that ./cmd/tiro is built from on a system.
func linked(modules map[string]module, system string) error {
	list := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/tiro")
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", system, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct{ Module *module }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Module != nil && !p.Module.Main {
			modules[p.Module.Path] = *p.Module
		}
	}
}

// legal matches the names of files that have to be passed on.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\..*)?$`)

// section writes the texts in dir under a title.
func section(w io.Writer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "==== %s\n", title)
	found := false
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(w, "\n%s\n\n", strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if !found {
		return fmt.Errorf("%s: no licence in %s", title, dir)
	}
	return nil
}
