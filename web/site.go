package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tiro/disk"
	"tiro/format"
	"tiro/web/host"
)

// The folder static has the scripts of exported pages that serve does not use. Its
// worker.js and program are built by make build and are not in the repository. A
// program built with go build alone may lack them.
//
//go:embed static
var static embed.FS

// Files of static that are not scripts: the compressed program of exported pages, cmd/page,
// and the names of its games, one per line.
const (
	programFile  = "tiro.wasm.gz"
	programGames = "games.txt"
)

// ErrNoProgram is returned by Site.Write if this program was built without the
// program of exported pages.
var ErrNoProgram = errors.New("this build lacks the browser program; build it with make build")

// CheckProgram returns ErrNoProgram if Site.Write would return it.
func CheckProgram() error {
	for _, name := range []string{programFile, "worker.js"} {
		if _, err := static.ReadFile("static/" + name); err != nil {
			return ErrNoProgram
		}
	}
	return nil
}

// SiteGame is a game for a static page.
type SiteGame struct {
	Offer   host.Offer
	Network string // as in player.Spec.Network
	Weights []byte // the network, as a weights file
}

// Site is a page that plays games without a server.
type Site struct {
	Games    []SiteGame
	Licenses string // licences, which must accompany the program

	// Program is the page's program, compiled for js/wasm; nil for Tiro's own program with
	// Tiro's games.
	Program []byte
}

// program returns the page's program, compressed.
func (s *Site) program() ([]byte, error) {
	if err := CheckProgram(); err != nil {
		return nil, err
	}
	if s.Program != nil {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write(s.Program)
		err = errors.Join(err, w.Close())
		return packed.Bytes(), err
	}
	list, err := static.ReadFile("static/" + programGames)
	if err != nil {
		return nil, ErrNoProgram
	}
	known := strings.Fields(string(list))
	for _, g := range s.Games {
		if base, _, _ := strings.Cut(g.Offer.Game, ":"); !slices.Contains(known, base) {
			return nil, fmt.Errorf("the browser program of this build has no game %s (%s); build a program that has it, and name it with --program: docs/ADDING_A_GAME.md", base, strings.Join(known, ", "))
		}
	}
	return static.ReadFile("static/" + programFile)
}

// siteMeta turns index.html into an exported page, and prevents requests to other sites.
const siteMeta = `<meta name="transport" content="worker">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; ` +
	`worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'">`

// ErrOtherPage is returned by Site.Write for a folder with a page that it has not written.
var ErrOtherPage = errors.New("the folder has a page of another program")

// Write writes the page to a folder, which it creates if necessary. It replaces an earlier
// page and removes the networks that the new page does not use, but no other files. It writes
// index.html last. The folder may be served from any address.
func (s *Site) Write(fsys disk.FS, dir string) (err error) {
	program, err := s.program()
	if err != nil {
		return err
	}
	unlock, err := disk.LockFolder(fsys, dir)
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	before, err := checkSite(fsys, dir)
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	files, err := s.files(program)
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	networks, err := disk.Subfolder(fsys, dir, networksDir)
	if err == nil {
		err = disk.RemoveLeft(fsys, networks, "*.safetensors")
	}
	for _, f := range files {
		if err == nil {
			err = disk.RemoveLeft(fsys, dir, f.name)
		}
	}
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	files = append([]siteFile{{"licenses.txt", []byte(s.Licenses)}}, files...)
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := disk.WriteFile(fsys, path, disk.Bytes(f.data)); err != nil {
			return fmt.Errorf("web: write %s: %w", path, err)
		}
	}
	for _, name := range before {
		if slices.ContainsFunc(files, func(f siteFile) bool { return f.name == name }) {
			continue
		}
		if err := fsys.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("web: remove a network of the page before: %w", err)
		}
	}
	return nil
}

// checkSite returns the names of the networks of the exported page in dir, as far as this
// program can read them. It returns ErrOtherPage if another program has written the page.
func checkSite(fsys disk.FS, dir string) (networks []string, err error) {
	if _, err := fsys.Stat(filepath.Join(dir, "index.html")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	data, err := disk.ReadFile(fsys, filepath.Join(dir, host.SiteFile), maxFile)
	if err == nil {
		err = format.CheckJSON(data, host.SiteHeader)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, format.ErrForeign) {
		return nil, fmt.Errorf("%s: %w; use another folder", dir, ErrOtherPage)
	}
	var site host.Site
	if format.OtherVersion(err) || err == nil && format.DecodeStrict(data, &site) != nil {
		return nil, nil
	}
	for _, g := range site.Games {
		name, _, _ := strings.Cut(g.Weights, "?")
		if ours, _ := path.Match(networkName("*"), name); ours && filepath.IsLocal(filepath.FromSlash(name)) {
			networks = append(networks, name)
		}
	}
	return networks, err
}

// networksDir is the folder of the networks of a page.
const networksDir = "networks"

// networkName returns the file name of a game's network.
func networkName(game string) string {
	return networksDir + "/" + strings.NewReplacer(":", "-", ",", "-", "=", "-").Replace(game) + ".safetensors"
}

// siteFile is a file of a static page, with a slash-separated name.
type siteFile struct {
	name string
	data []byte
}

// files returns the files of a page without the licences, in the order of writing: a file
// comes after the files that it refers to.
func (s *Site) files(program []byte) ([]siteFile, error) {
	var files []siteFile
	whole := sha256.New()
	add := func(name string, data []byte) string {
		files = append(files, siteFile{name, data})
		whole.Write(data)
		// The checksum prevents browsers from using an old file in their cache.
		return fmt.Sprintf("%s?%.6x", name, sha256.Sum256(data))
	}
	site := host.Site{Header: host.SiteHeader, Program: add(programFile, program)}
	for _, g := range s.Games {
		weights := add(networkName(g.Offer.Game), g.Weights)
		site.Games = append(site.Games, host.SiteGame{Offer: g.Offer, Network: g.Network, Weights: weights})
	}
	var list bytes.Buffer
	if err := format.EncodeJSON(&list, site); err != nil {
		return nil, err
	}
	add(host.SiteFile, list.Bytes())
	worker, err := static.ReadFile("static/worker.js")
	if err != nil {
		return nil, err
	}
	add("worker.js", worker)
	for _, name := range []string{"app.js", "style.css", "icon.svg", "index.html"} {
		data, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		if name == "index.html" {
			charset := []byte(`<meta charset="utf-8">`)
			data = bytes.Replace(data, charset, append(charset, "\n"+siteMeta...), 1)
		}
		add(name, data)
	}
	offline, err := static.ReadFile("static/offline.js")
	if err != nil {
		return nil, err
	}
	// A browser stores the files again whenever this one changes, so it has a checksum of all.
	offline = fmt.Appendf(offline, "// %x\n", whole.Sum(nil))
	return slices.Insert(files, len(files)-1, siteFile{"offline.js", offline}), nil // index.html is last
}
