package ladder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

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
	Pools []*pool `json:"pools"`
}

// pool is what candidates have played on a ladder under the same conditions.
type pool struct {
	Conditions
	Ladder     string   `json:"ladder"` // SHA-256 of ladder.json
	Candidates []Player `json:"candidates"`
	Batches    []logged `json:"batches"` // in the order in which they were played
}

// logged is a batch of games of a candidate against a reference or another candidate.
type logged struct {
	Round     int    `json:"round"`               // of pairs that were chosen together, from 1
	Pairs     int    `json:"pairs"`               // of the round
	A         int    `json:"a"`                   // the candidate that has one seat, from 0
	B         *int   `json:"b,omitempty"`         // the candidate that has the others, nil if a reference has them
	Reference string `json:"reference,omitempty"` // its name
	Games     Games  `json:"games"`
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
	for i, p := range l.content.Pools {
		at := fmt.Sprintf("pools[%d]", i)
		if k.Check(p != nil, at, nil, "an object"); p != nil {
			p.check(k, at+".", spec)
		}
	}
	return k.Err()
}

func (p *pool) check(k *card.Checker, at string, spec env.Spec) {
	k.Checksum(at+"ladder", p.Ladder)
	k.Line(at+"tiro", p.Tiro)
	k.Line(at+"backend", p.Backend)
	k.AtLeast(at+"opening", p.Opening, 0)
	for i, c := range p.Candidates {
		at := fmt.Sprintf("%scandidates[%d].", at, i)
		k.Line(at+"name", c.Name)
		if c.Weights != "" {
			k.Checksum(at+"weights", c.Weights)
		}
	}
	round := 1
	for i, b := range p.Batches {
		at := fmt.Sprintf("%sbatches[%d].", at, i)
		k.AtLeast(at+"round", b.Round, round)
		round = max(round, b.Round)
		k.AtLeast(at+"pairs", b.Pairs, 1)
		one := fmt.Sprintf("the number of a candidate, less than %d", len(p.Candidates))
		k.Check(b.A >= 0 && b.A < len(p.Candidates), at+"a", b.A, one)
		if b.B != nil {
			k.Check(*b.B >= 0 && *b.B < len(p.Candidates) && *b.B != b.A && b.Reference == "", at+"b", *b.B, one+", but not a, and no reference")
		} else {
			k.Line(at+"reference", b.Reference)
		}
		_, err := b.Games.groups(spec.Players, 0, 1)
		k.Section(at+"games", err)
	}
}

// pool returns what was played on a ladder under conditions. The log keeps it.
func (l *log) pool(ladder string, c Conditions) *pool {
	for _, p := range l.content.Pools {
		if p.Ladder == ladder && p.Conditions == c {
			return p
		}
	}
	p := &pool{Conditions: c, Ladder: ladder, Candidates: []Player{}, Batches: []logged{}}
	l.content.Pools = append(l.content.Pools, p)
	return p
}

// candidate returns the number of a candidate. One that is new is added.
func (p *pool) candidate(c Player) int {
	i := slices.IndexFunc(p.Candidates, c.Same)
	if i < 0 {
		i = len(p.Candidates)
		p.Candidates = append(p.Candidates, c)
	}
	return i
}

// meetings returns the batches of the rounds before one, for a fit that has the
// candidates behind the references of a ladder.
func (p *pool) meetings(l *Ladder, before int) ([]meeting, error) {
	var all []meeting
	for _, b := range p.Batches {
		if b.Round >= before {
			break
		}
		m := meeting{a: len(l.Players) + b.A, games: b.Games}
		if b.B != nil {
			m.b = len(l.Players) + *b.B
		} else if m.b = l.index(b.Reference); m.b < 0 {
			return nil, fmt.Errorf("the log has games against %s, who is not on the ladder", b.Reference)
		}
		all = append(all, m)
	}
	return all, nil
}

// nextRound returns the number of the newest round, if it is not complete, else that of
// the one after it.
func (p *pool) nextRound() int {
	if len(p.Batches) == 0 {
		return 1
	}
	last, played := p.Batches[len(p.Batches)-1], 0
	for _, b := range p.Batches {
		if b.Round == last.Round {
			played++
		}
	}
	if played < last.Pairs {
		return last.Round
	}
	return last.Round + 1
}

// save writes the log, which appears complete or stays as it was.
func (l *log) save() error {
	l.content.Header = logHeader
	return save(l.fsys, l.path, func(w io.Writer) error { return format.EncodeJSON(w, l.content) })
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
