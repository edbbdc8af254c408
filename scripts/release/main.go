// Command release builds the archives of a release. The same commit and Go release produce the
// same bytes:
//
//	go run ./scripts/release -out dist/release
//
// Each archive has the program for one system, its licence, the licences of all linked modules,
// manual pages and shell completions. SHA256SUMS has their checksums in the format of sha256sum
// -c.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// platforms are the systems of a release.
var platforms = []string{
	"linux/amd64", "linux/arm64",
	"darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64",
}

// texts lists source files that are included in an archive, and their names there.
var texts = [][2]string{
	{"README.md", "README.md"},
	{"LICENSE", "LICENSE"},
	{"CITATION.cff", "CITATION.cff"},
	{"cli/licenses.txt", "LICENSES.txt"},
}

func main() {
	out := flag.String("out", "dist/release", "folder to write")
	only := flag.String("platform", "", "system to build for, such as linux/arm64, instead of all")
	flag.Parse()
	chosen := platforms
	if *only != "" {
		chosen = []string{*only}
	}
	if err := release(*out, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes an archive for each platform, and their checksums, to the folder out. It runs in
// the root folder of the sources.
func release(out string, platforms []string) error {
	version, err := output("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return err
	}
	seconds, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the commit: %w", err)
	}
	if err := os.Setenv("SOURCE_DATE_EPOCH", seconds); err != nil { // the date of the manual pages
		return err
	}
	scratch, err := os.MkdirTemp("", "tiro-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	common, err := commonFiles(scratch, version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, platform := range platforms {
		system, arch, found := strings.Cut(platform, "/")
		if !found {
			return fmt.Errorf("platform %q is not of the form linux/amd64", platform)
		}
		program := file{name: "tiro", mode: 0o755}
		if system == "windows" {
			program.name += ".exe"
		}
		path := filepath.Join(scratch, program.name)
		if err := build(path, system, arch); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if program.data, err = os.ReadFile(path); err != nil {
			return err
		}
		folder := fmt.Sprintf("tiro-%s-%s-%s", version, system, arch)
		name, data, err := pack(system, folder, append([]file{program}, common...), time.Unix(unix, 0).UTC())
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s: %.1f MB\n", filepath.Join(out, name), float64(len(data))/1e6)
	}
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// build builds the program for a system. Its version comes from the commit.
func build(path, system, arch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./cmd/tiro")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// commonFiles returns the files of all archives, except the program. It checks that the program
// has the version of a tag.
func commonFiles(scratch, version string) (files []file, err error) {
	for _, t := range texts {
		data, err := os.ReadFile(t[0])
		if err != nil {
			return nil, err
		}
		files = append(files, file{t[1], data, 0o644})
	}
	tiro := filepath.Join(scratch, "this-machine")
	if err := build(tiro, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	built, err := output(tiro, "--version")
	if err != nil {
		return nil, err
	}
	if tag, err := exec.Command("git", "describe", "--tags", "--exact-match").Output(); err == nil && built != "tiro "+version {
		return nil, fmt.Errorf("the commit has the tag %s, but the program is %s; a tag has the form v0.2.3 or v1.2.3, and the sources must be unchanged", strings.TrimSpace(string(tag)), built)
	}
	pages := filepath.Join(scratch, "man")
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	if _, err := output(tiro, "man", "--dir", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(pages, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/man1/" + e.Name(), data, 0o644})
	}
	for shell, name := range map[string]string{"bash": "tiro.bash", "zsh": "_tiro", "fish": "tiro.fish", "powershell": "tiro.ps1"} {
		text, err := output(tiro, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + name, []byte(text + "\n"), 0o644})
	}
	return files, nil
}

// output runs a command and returns its output without surrounding white space.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
