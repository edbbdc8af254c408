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
	OriginFile     = "origin.json" // of a fork
	MetricsFile    = "metrics.jsonl"
	LockFile       = "lock"
	LogFile        = "log.jsonl"
	OldLogFile     = "log.old.jsonl"
	CheckpointsDir = "checkpoints"
	EpisodesDir    = "episodes"
	DamagedDir     = "damaged" // where package fsck moves what is damaged
	ClusterDir     = "cluster" // what the server of a training on several machines keeps; it may go at any time
)

// Suffixes of episode files, behind the number of their generation.
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

// Path returns the path of a part of the folder.
func (f Folder) Path(names ...string) string {
	return filepath.Join(append([]string{f.path}, names...)...)
}

// ReadFile reads a file of the folder that is no longer than max bytes.
func (f Folder) ReadFile(name string, max int64) ([]byte, error) {
	return disk.ReadFile(f.fsys, f.Path(name), max)
}

// Store returns the checkpoints of the run, which are for the game of spec.
func (f Folder) Store(spec env.Spec) *models.Store {
	return models.NewStore(f.fsys, f.Path(CheckpointsDir), spec)
}

// Generation returns a generation of the run, of which there need not be any
// file.
func (f Folder) Generation(number int) Generation { return Generation{f, number} }

// Generation is what a run folder holds of one generation.
type Generation struct {
	folder Folder
	Number int
}

// Checkpoint returns the path of the folder of the checkpoint.
func (g Generation) Checkpoint() string {
	return g.folder.Path(CheckpointsDir, models.FormatGeneration(g.Number))
}

// Episodes returns the path of the file with all games of the generation.
func (g Generation) Episodes() string {
	return g.folder.Path(EpisodesDir, models.FormatGeneration(g.Number)+completeSuffix)
}

// PartialEpisodes returns the path of the file with the games that have
// finished while the generation is played.
func (g Generation) PartialEpisodes() string {
	return g.folder.Path(EpisodesDir, models.FormatGeneration(g.Number)+partialSuffix)
}

// ReadEpisodes reads an episode file of the run's game and its variants: see
// env.Variants. On error, such as for a file whose end was cut off, it also returns the
// games before the fault.
func (f Folder) ReadEpisodes(path string, find env.Lookup) (h selfplay.Header, episodes []selfplay.Episode, err error) {
	file, err := f.fsys.Open(path)
	if err != nil {
		return h, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	h, episodes, err = selfplay.Read(bufio.NewReaderSize(file, 1<<16), find)
	ordered := slices.IsSortedFunc(episodes, func(a, b selfplay.Episode) int { return a.Game - b.Game })
	if err == nil && !ordered && !strings.HasSuffix(path, partialSuffix) { // there, games are in the order in which they ended
		err = errors.New("games are out of order; want ascending numbers")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return h, episodes, err
}

// Kind says what a name in a run folder stands for.
type Kind int

// Kinds of names.
const (
	Checkpoint      Kind = iota // the folder of a checkpoint
	Episodes                    // the games of a generation that is complete
	PartialEpisodes             // the games of a generation that is being played
	Top                         // config.yaml, metrics.jsonl, the lock, the logs and the folders
	Temporary                   // a file or folder that was being written when a process was stopped
	Unknown                     // not a name that a run uses
)

// Identify says what a path in a run folder, with slashes, stands for, and for
// which generation.
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
		case ConfigFile, OriginFile, MetricsFile, LockFile, LogFile, OldLogFile, CheckpointsDir, EpisodesDir, DamagedDir, ClusterDir:
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

// Ranges writes ascending numbers such as "1-3, 7".
func Ranges(numbers []int) string {
	var parts []string
	for i, j := 0, 0; i < len(numbers); i = j {
		for j = i + 1; j < len(numbers) && numbers[j] == numbers[j-1]+1; j++ {
		}
		parts = append(parts, Span(numbers[i], numbers[j-1]))
	}
	return strings.Join(parts, ", ")
}

// Span writes the numbers from first to last such as "1-3".
func Span(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}
