package ladder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"tiro/disk"
	"tiro/env"
	"tiro/format"
	"tiro/models/card"
)

// LogFile is the name, in the folder of a Rating, of the batches that were played.
const LogFile = "ratings.json"

// logHeader is the header of ratings.json.
var logHeader = format.Header{Format: 1, What: "tiro rating log"}

// maxLog bounds ratings.json, in bytes: some ten thousand candidates.
const maxLog = 1 << 26

// log is the file of the batches of candidates, so that none is played twice.
type log struct {
	fsys    disk.FS
	path    string
	content logContent
}

type logContent struct {
	format.Header
	Candidates []logged `json:"candidates"`
}

// logged is what a candidate has played under some conditions.
type logged struct {
	Player
	Conditions
	Ladder  string  `json:"ladder"`  // SHA-256 of ladder.json
	Batches []match `json:"batches"` // in the order in which they were played
}

// match is a batch of games against a reference.
type match struct {
	Opponent string `json:"opponent"`
	Games    Games  `json:"games"`
}

// openLog reads the log of a folder, for games of a spec. If there is no such file,
// the log is empty.
func openLog(fsys disk.FS, dir string, spec env.Spec) (*log, error) {
	l := &log{fsys: fsys, path: filepath.Join(dir, LogFile)}
	data, err := disk.ReadFile(fsys, l.path, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if err := l.read(data, spec); err != nil {
		return nil, fmt.Errorf("%s: %w; move it elsewhere, or name another folder", l.path, err)
	}
	return l, nil
}

// read decodes and checks the content of a log.
func (l *log) read(data []byte, spec env.Spec) error {
	if err := format.DecodeJSON(data, logHeader, &l.content); err != nil {
		return err
	}
	k := &card.Checker{}
	for i, c := range l.content.Candidates {
		at := fmt.Sprintf("candidates[%d].", i)
		k.Line(at+"name", c.Name)
		if c.Weights != "" {
			k.Checksum(at+"weights", c.Weights)
		}
		k.Checksum(at+"ladder", c.Ladder)
		k.Line(at+"tiro", c.Tiro)
		k.Line(at+"backend", c.Backend)
		k.AtLeast(at+"opening", c.Opening, 0)
		for j, b := range c.Batches {
			at := fmt.Sprintf("%sbatches[%d].", at, j)
			k.Line(at+"opponent", b.Opponent)
			_, err := b.Games.groups(spec.Players, 0, 1)
			k.Section(at+"games", err)
		}
	}
	return k.Err()
}

// find returns what a candidate has played on a ladder under conditions. The log
// keeps it, and a new candidate is added.
func (l *log) find(p Player, ladder string, c Conditions) *logged {
	for i := range l.content.Candidates {
		if found := &l.content.Candidates[i]; found.same(p) && found.Ladder == ladder && found.Conditions == c {
			return found
		}
	}
	l.content.Candidates = append(l.content.Candidates, logged{Player: p, Conditions: c, Ladder: ladder, Batches: []match{}})
	return &l.content.Candidates[len(l.content.Candidates)-1]
}

// save writes the log, which appears complete or stays as it was.
func (l *log) save() error {
	l.content.Header = logHeader
	return save(l.fsys, l.path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(l.content)
	})
}

// save writes a file, which appears complete or not at all.
func save(fsys disk.FS, path string, write func(io.Writer) error) error {
	if err := disk.WriteFile(fsys, path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// checksum returns the SHA-256 of the ladder's file.
func (l *Ladder) checksum() (string, error) {
	var text bytes.Buffer
	if err := l.Write(&text); err != nil {
		return "", err
	}
	sum := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
