package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/selfplay"
)

// ErrInUse is wrapped by errors of Open and Lock if another process trains in the run folder.
var ErrInUse = errors.New("another process is training here")

// ErrDamaged is wrapped by errors about a damaged file without which the run cannot continue.
var ErrDamaged = errors.New("damaged")

// Unreadable reports whether err means that an existing file cannot be read, because of its
// permissions or a failing disk. The file's content is then unknown.
func Unreadable(err error) bool {
	_, refused := errors.AsType[*fs.PathError](err)
	for _, fault := range []error{fs.ErrNotExist, disk.ErrNotFile, syscall.ELOOP, syscall.ENOTDIR} {
		refused = refused && !errors.Is(err, fault)
	}
	return refused
}

// MayBeIntact reports whether a file may be intact although reading it returned err: it is
// unreadable, or another version of tiro wrote it.
func MayBeIntact(err error) bool { return Unreadable(err) || format.OtherVersion(err) }

// Locked is a run folder that this process has locked and may write to.
type Locked struct {
	Folder
	lock disk.Lock
}

// Open makes the run folder if necessary and locks it. It refuses a folder with anything other
// than a run, and a run whose logs are not regular files.
func Open(fsys disk.FS, dir string) (*Locked, error) {
	f := At(fsys, dir)
	entries, err := fsys.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := refuseForeign(entries); err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := e.Name(); (name == LogFile || name == OldLogFile) && !e.Type().IsRegular() {
			return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, f.Path(name), disk.ErrNotFile)
		}
	}
	for _, dir := range []string{dir, f.Path(EpisodesDir)} {
		if err := disk.MkdirAll(fsys, dir); err != nil {
			return nil, err
		}
	}
	return f.Lock()
}

// Lock locks an existing run folder.
func (f Folder) Lock() (*Locked, error) {
	lock, err := f.fsys.Lock(f.Path(LockFile))
	if errors.Is(err, disk.ErrLocked) {
		err = fmt.Errorf("%w: stop it or choose another run folder: %w", ErrInUse, err)
	} else if errors.Is(err, disk.ErrNotFile) {
		err = fmt.Errorf("%w: remove it", err)
	}
	if err != nil {
		return nil, err
	}
	return &Locked{f, lock}, nil
}

// refuseForeign returns an error for a folder with anything other than a run, since it was
// probably named by mistake.
func refuseForeign(entries []fs.DirEntry) error {
	foreign, ours := "", 0
	for _, e := range entries {
		switch name := e.Name(); {
		case name == ConfigFile:
			return nil
		case name == CheckpointsDir, name == MetricsFile:
			ours++
			foreign = name
		case !strings.HasPrefix(name, LockFile) && name != EpisodesDir && !strings.HasPrefix(name, ConfigFile):
			foreign = name
		}
	}
	if foreign != "" && ours < 2 { // else a run whose configuration is lost
		return fmt.Errorf("not a run folder: it has %s but no %s; choose a new or empty folder", foreign, ConfigFile)
	}
	return nil
}

// Weak reports whether the file system has no locks, so that a process on another machine may be
// training in the folder.
func (l *Locked) Weak() bool {
	weak, ok := l.lock.(disk.WeakLock)
	return ok && weak.Weak()
}

// Close releases the lock.
func (l *Locked) Close() error { return l.lock.Close() }

// Check returns an error if the folder is no longer the one that was locked. It is called before
// anything is written or removed.
func (l *Locked) Check() error {
	err := l.lock.Check()
	if errors.Is(err, disk.ErrLost) {
		err = fmt.Errorf("the run folder was moved, removed or replaced; nothing is written until it is restored: %w", err)
	}
	return err
}

// Recover flushes the files of an earlier process, which may have been killed before it could do
// so, and removes its unfinished files.
func (l *Locked) Recover() error {
	for _, name := range []string{"", EpisodesDir} {
		dir := l.Path(name)
		err := l.fsys.SyncDir(dir)
		if err == nil {
			err = disk.RemoveUnfinished(l.fsys, dir, func(finished string) bool {
				kind, _ := Identify(path.Join(name, finished))
				return kind != Unknown
			})
		}
		if err != nil {
			return err
		}
	}
	if err := l.fsys.SyncDir(l.Path(CheckpointsDir)); err != nil {
		if errors.Is(err, fs.ErrNotExist) { // the run has no checkpoints yet
			return nil
		}
		return err
	}
	return l.Store(env.Spec{}).Remove(nil)
}

// Write writes a file that appears complete or not at all.
func (l *Locked) Write(path string, write func(io.Writer) error) error {
	if err := l.Check(); err != nil {
		return err
	}
	return disk.WriteFile(l.fsys, path, write)
}

// WriteBytes is Write with data as the content.
func (l *Locked) WriteBytes(path string, data []byte) error {
	return l.Write(path, disk.Bytes(data))
}

// WriteEpisodes writes the complete episode file of the header's generation.
func (l *Locked) WriteEpisodes(h selfplay.Header, episodes []selfplay.Episode) error {
	games, err := selfplay.EncodeAll(episodes)
	if err != nil {
		return err
	}
	return l.WriteGames(h, games)
}

// WriteGames is WriteEpisodes for encoded games.
func (l *Locked) WriteGames(h selfplay.Header, games []selfplay.Encoded) error {
	return l.writeGames(l.Generation(h.Generation).Episodes(), h, games)
}

func (l *Locked) writeGames(path string, h selfplay.Header, games []selfplay.Encoded) error {
	return l.Write(path, func(w io.Writer) error { return selfplay.Write(w, h, games) })
}

// Appender adds games to the partial episode file of a generation.
type Appender struct {
	*selfplay.Appender
	file disk.File
}

// checked is a file in a locked folder. It calls Check before each write.
type checked struct {
	folder *Locked
	file   disk.File
}

func (c checked) Write(p []byte) (int, error) {
	if err := c.folder.Check(); err != nil {
		return 0, err
	}
	return c.file.Write(p)
}

// AppendEpisodes rewrites the partial episode file of the header's generation with the games in
// done, which drops a truncated game at its end. It returns an Appender for further games.
func (l *Locked) AppendEpisodes(h selfplay.Header, done []selfplay.Episode) (*Appender, error) {
	path := l.Generation(h.Generation).PartialEpisodes()
	games, err := selfplay.EncodeAll(done)
	if err != nil {
		return nil, err
	}
	if err := l.writeGames(path, h, games); err != nil {
		return nil, err
	}
	file, err := l.fsys.Append(path)
	if err != nil {
		return nil, err
	}
	return &Appender{selfplay.NewAppender(checked{l, file}, games...), file}, nil
}

// Close flushes the games to the disk and closes the file.
func (a *Appender) Close() error { return errors.Join(a.file.Sync(), a.file.Close()) }

// RemoveGames removes the games of a generation that has no checkpoint yet. found reports whether
// there were any.
func (l *Locked) RemoveGames(generation int) (found bool, err error) {
	if err := l.Check(); err != nil {
		return false, err
	}
	g := l.Generation(generation)
	for _, path := range []string{g.PartialEpisodes(), g.Episodes()} {
		err := l.fsys.Remove(path)
		if err == nil {
			found = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
	}
	if !found {
		return false, nil
	}
	return true, l.fsys.SyncDir(l.Path(EpisodesDir))
}

// RemovePartial removes the partial episode file of a generation after its complete file is
// written.
func (l *Locked) RemovePartial(generation int) error {
	if err := l.Check(); err != nil {
		return err
	}
	err := l.fsys.Remove(l.Generation(generation).PartialEpisodes())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
