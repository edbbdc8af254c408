package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tiro/disk"
	"tiro/env"
	"tiro/models"
	"tiro/selfplay"
)

// Names in a run folder.
const (
	ConfigFile     = "config.yaml"
	OriginFile     = "origin.json" // of a fork or warm start
	MetricsFile    = "metrics.jsonl"
	LockFile       = "lock"
	LogFile        = "log.jsonl"
	OldLogFile     = "log.old.jsonl"
	CheckpointsDir = "checkpoints"
	EpisodesDir    = "episodes"
	DamagedDir     = "damaged" // damaged files that package fsck has moved
)

// Suffixes of episode files, after the number of the generation.
const (
	completeSuffix = ".jsonl.zst"
	partialSuffix  = ".part"
)

// Folder is a run folder, which need not exist. Its methods only read.
type Folder struct {
	fsys disk.FS
	path string
}

// At returns the run folder at a path of a file system.
func At(fsys disk.FS, path string) Folder { return Folder{fsys, path} }

// Path returns the path of a file in the folder.
func (f Folder) Path(names ...string) string {
	return filepath.Join(append([]string{f.path}, names...)...)
}

// ReadFile reads a file in the folder of at most max bytes.
func (f Folder) ReadFile(name string, max int64) ([]byte, error) {
	return disk.ReadFile(f.fsys, f.Path(name), max)
}

// Store returns the checkpoints of the run. spec describes the run's game.
func (f Folder) Store(spec env.Spec) *models.Store {
	return models.NewStore(f.fsys, f.Path(CheckpointsDir), spec)
}

// Generation returns a generation of the run, whose files need not exist.
func (f Folder) Generation(number int) Generation { return Generation{f, number} }

// Generation names the files of one generation.
type Generation struct {
	folder Folder
	Number int
}

// Checkpoint returns the path of the checkpoint's folder.
func (g Generation) Checkpoint() string {
	return g.folder.Path(CheckpointsDir, models.FormatGeneration(g.Number))
}

// Episodes returns the path of the file with all games of the generation.
func (g Generation) Episodes() string {
	return g.folder.Path(EpisodesDir, models.FormatGeneration(g.Number)+completeSuffix)
}

// PartialEpisodes returns the path of the file with the finished games of a generation in
// progress.
func (g Generation) PartialEpisodes() string {
	return g.folder.Path(EpisodesDir, models.FormatGeneration(g.Number)+partialSuffix)
}

// ReadEpisodes reads an episode file of the run's game or of a variant of it (see env.Variants).
// On error, such as for a truncated file, it also returns the games before the fault.
func (f Folder) ReadEpisodes(path string, find env.Lookup) (h selfplay.Header, episodes []selfplay.Episode, err error) {
	file, err := f.fsys.Open(path)
	if err != nil {
		return h, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h, episodes, err = selfplay.Read(bufio.NewReaderSize(file, 1<<16), find)
	ordered := slices.IsSortedFunc(episodes, func(a, b selfplay.Episode) int { return a.Game - b.Game })
	if err == nil && !ordered && !strings.HasSuffix(path, partialSuffix) { // partial files are in the order in which the games ended
		err = errors.New("games are not in ascending order")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return h, episodes, err
}

// Kind is the kind of a file or folder in a run folder.
type Kind int

// Kinds of files and folders.
const (
	Checkpoint      Kind = iota // the folder of a checkpoint
	Episodes                    // the games of a generation that is complete
	PartialEpisodes             // the games of a generation that is being played
	Top                         // config.yaml, origin.json, metrics.jsonl, the lock, the logs and the folders
	Temporary                   // a file or folder whose writer was stopped
	Unknown                     // not part of a run
)

// Identify returns the kind and the generation of a path in a run folder. The path is relative
// and has slashes.
func Identify(name string) (kind Kind, generation int) {
	dir, base := path.Split(name)
	if finished, ok := strings.CutSuffix(name, disk.Unfinished); ok {
		if kind, _ := Identify(finished); kind != Unknown {
			return Temporary, 0
		}
		return Unknown, 0
	}
	switch dir {
	case "":
		switch name {
		case ConfigFile, OriginFile, MetricsFile, LockFile, LogFile, OldLogFile, CheckpointsDir, EpisodesDir, DamagedDir:
			return Top, 0
		}
	case CheckpointsDir + "/":
		if n, ok := models.ParseGeneration(base); ok {
			return Checkpoint, n
		}
	case EpisodesDir + "/":
		number, suffix, _ := strings.Cut(base, ".")
		n, ok := models.ParseGeneration(number)
		switch {
		case ok && "."+suffix == completeSuffix:
			return Episodes, n
		case ok && "."+suffix == partialSuffix:
			return PartialEpisodes, n
		}
	}
	return Unknown, 0
}

// Ranges formats ascending numbers like "1-3, 7".
func Ranges(numbers []int) string {
	var parts []string
	for i, j := 0, 0; i < len(numbers); i = j {
		for j = i + 1; j < len(numbers) && numbers[j] == numbers[j-1]+1; j++ {
		}
		parts = append(parts, Span(numbers[i], numbers[j-1]))
	}
	return strings.Join(parts, ", ")
}

// Span formats the numbers from first to last like "1-3".
func Span(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}
