package train

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"tiro/configs"
	"tiro/disk"
	"tiro/env"
	"tiro/net"
	"tiro/selfplay"
)

// Names in a run folder.
const (
	lockFile       = "lock"
	configFile     = "config.yaml"
	metricsFile    = "metrics.jsonl"
	checkpointsDir = "checkpoints"
	episodesDir    = "episodes"
	damagedDir     = "damaged"   // what Repair has moved aside
	wholeKind      = "jsonl.zst" // a generation's games, when there are all of them
	partKind       = "part"      // those that were finished before the generation was
)

// ErrInUse is wrapped by Run when another process trains in the run folder.
var ErrInUse = errors.New("another process is training here")

// folder is a run folder that this process has locked.
type folder struct {
	fsys disk.FS
	dir  string
	lock disk.Lock
}

// openFolder makes the folder if need be and locks it.
func openFolder(fsys disk.FS, dir string) (*folder, error) {
	if err := refuseForeign(fsys, dir); err != nil {
		return nil, err
	}
	for _, made := range []string{dir, filepath.Join(dir, episodesDir)} {
		if err := disk.MkdirAll(fsys, made); err != nil {
			return nil, err
		}
	}
	lock, err := fsys.Lock(filepath.Join(dir, lockFile))
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w; stop it first, or name another run folder", ErrInUse)
	}
	if err != nil {
		return nil, err
	}
	return &folder{fsys, dir, lock}, nil
}

// secure makes what an earlier process left last before anything is built on
// it, since that process may have been killed before it could, and removes
// what it left unfinished.
func (f *folder) secure() error {
	for _, dir := range []string{f.dir, f.path(episodesDir), f.path(checkpointsDir)} {
		err := f.fsys.SyncDir(dir)
		if errors.Is(err, fs.ErrNotExist) { // no checkpoints yet
			continue
		}
		if err == nil {
			err = disk.RemoveUnfinished(f.fsys, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// held returns an error if the folder is no longer the one that was locked. It
// is asked before anything is written or removed.
func (f *folder) held() error {
	if err := f.lock.Check(); err != nil {
		return fmt.Errorf("the run folder has vanished or another is in its place, which is left alone; bring it back: %w", err)
	}
	return nil
}

// write writes a file that appears whole or not at all.
func (f *folder) write(path string, write func(io.Writer) error) error {
	if err := f.held(); err != nil {
		return err
	}
	return disk.WriteFile(f.fsys, path, write)
}

// refuseForeign returns an error for a folder that holds something other than
// a run: it was probably not meant.
func refuseForeign(fsys disk.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	foreign, ours := "", 0
	for _, e := range entries {
		switch name := e.Name(); {
		case name == configFile:
			return nil
		case name == checkpointsDir, name == metricsFile:
			ours++
			foreign = name
		case name != lockFile && name != episodesDir && !strings.HasPrefix(name, configFile):
			foreign = name
		}
	}
	if foreign != "" && ours < 2 { // else a run whose configuration is gone
		return fmt.Errorf("it holds %s but no %s: not a run folder; want a new or empty one", foreign, configFile)
	}
	return nil
}

// close gives the lock back.
func (f *folder) close() error { return f.lock.Close() }

func (f *folder) path(names ...string) string {
	return filepath.Join(append([]string{f.dir}, names...)...)
}

// settle compares c with the configuration that the run began with, if it did,
// and keeps c for the next time. It returns the changes, and refuses those
// that would make it another run.
func (f *folder) settle(c *Config, note string) (changes []string, err error) {
	path := f.path(configFile)
	old := Default("")
	err = old.loadSealed(f.fsys, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.writeConfig(c, note)
	}
	if err != nil {
		return nil, err
	}
	changes = configs.Changes(&old, c)
	var refused []error
	for _, change := range changes {
		if path, _, _ := strings.Cut(change, " "); fixed(path) {
			refused = append(refused, errors.New(change))
		}
	}
	if len(refused) > 0 {
		return nil, fmt.Errorf("%s: a run cannot change this; want another run folder, or the old setting: %w", path, errors.Join(refused...))
	}
	if len(changes) == 0 {
		return nil, nil
	}
	return changes, f.writeConfig(c, note)
}

// fixed reports whether a setting is fixed once a run has begun.
func fixed(path string) bool {
	return path == "game" || path == "seed" || path == "learner.optimizer.kind" || strings.HasPrefix(path, "net.")
}

// writeConfig writes the whole configuration, after note as a comment.
func (f *folder) writeConfig(c *Config, note string) error {
	data, err := yaml.Marshal(c)
	if err != nil {
		return err
	}
	mark, err := yaml.Marshal(configHeader)
	if err != nil {
		return err
	}
	text := seal(fmt.Appendf(nil, "# The whole configuration of this run.\n%s%s%s", comment(note), mark, data))
	return f.write(f.path(configFile), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

func comment(note string) string {
	if note == "" {
		return ""
	}
	return "# " + strings.ReplaceAll(note, "\n", "\n# ") + "\n"
}

// LoadConfig reads the configuration of the run in the folder dir.
func LoadConfig(dir string) (Config, error) {
	c := Default("")
	if err := c.loadSealed(disk.OS{}, filepath.Join(dir, configFile)); err != nil {
		return c, fmt.Errorf("train: %w", err)
	}
	return c, nil
}

// episodesPath returns the path of a generation's games, and of those that
// were finished before the generation was.
func (f *folder) episodesPath(generation int) (whole, part string) {
	name := fmt.Sprintf("%06d.", generation)
	return f.path(episodesDir, name+wholeKind), f.path(episodesDir, name+partKind)
}

// numberOf returns the generation that a name stands for.
func numberOf(name string) (generation int, ok bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0 && name == fmt.Sprintf("%06d", n)
}

// gamesName returns what the name of an episode file stands for; part, if it
// is of a generation under way.
func gamesName(name string) (generation int, part, ok bool) {
	number, kind, _ := strings.Cut(name, ".")
	generation, ok = numberOf(number)
	return generation, kind == partKind, ok && (kind == partKind || kind == wholeKind)
}

// removeParts removes what is left of the unfinished time of generations up to
// complete.
func (f *folder) removeParts(complete int) error {
	entries, err := f.fsys.ReadDir(f.path(episodesDir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if g, part, ok := gamesName(e.Name()); ok && part && g <= complete {
			if err := f.fsys.Remove(f.path(episodesDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// readEpisodes reads an episode file. On error it also returns the games
// before the fault.
func readEpisodes(fsys disk.FS, path string, game env.Game) (h selfplay.Header, episodes []selfplay.Episode, err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return h, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h, episodes, err = selfplay.Read(bufio.NewReaderSize(file, 1<<16), game)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return h, episodes, err
}

// writePart writes games to a file that more can be appended to.
func writePart(w io.Writer, game env.Game, h selfplay.Header, episodes []selfplay.Episode) error {
	a, err := selfplay.NewAppender(w, game)
	if err != nil {
		return err
	}
	if err := a.Begin(h); err != nil {
		return err
	}
	for _, e := range episodes {
		if err := a.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// fingerprint returns a digest of weights.
func fingerprint(w *net.Weights) (string, error) {
	sum := sha256.New()
	if err := w.Write(sum); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
