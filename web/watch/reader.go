package watch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"tiro/disk"
	"tiro/env"
	"tiro/recipe"
	"tiro/rundir"
	"tiro/selfplay"
	"tiro/study/progress"
	"tiro/train"
)

// Bounds of a reader.
const (
	latestGames = 8        // number of games in memory
	maxPiece    = 64 << 20 // bytes of an episode file read at once
	quietAfter  = 3        // a run is quiet after this multiple of the usual interval
	quietAtMost = 2 * time.Minute
)

// reader reads a run folder repeatedly, and only the new parts of its files. It is for one
// goroutine at a time.
type reader struct {
	folder rundir.Folder
	fsys   disk.FS
	find   env.Lookup
	now    func() time.Time

	run         progress.Run
	configInfo  fs.FileInfo
	metricsInfo fs.FileInfo
	damaged     string // error in lines of the metrics
	charts      int
	latest      []latest // oldest first

	tail     *selfplay.Tail
	tailed   int // generation of tail's file
	tailInfo fs.FileInfo
	offset   int64
	whole    int // generation whose complete file was read
}

// latest is one of the latest games.
type latest struct {
	generation int
	episode    selfplay.Episode
}

// read returns the current state of the run.
func (r *reader) read() Status {
	s := Status{Words: []string{}, Findings: []train.Fault{}, Latest: []Played{}}
	err := r.readConfig()
	if errors.Is(err, fs.ErrNotExist) {
		s.Phase = PhaseWaiting
		return s
	}
	if err == nil {
		err = r.readMetrics()
	}
	if err != nil {
		s.Phase, s.Fault = PhaseBroken, err.Error()
		return s
	}
	s.Game, s.Fault = r.run.Game.Spec().Name, r.damaged
	s.Generation = r.run.Generation()
	s.Games = r.run.Config.Games(s.Generation + 1)
	phase, playing, err := r.readGames(s.Generation + 1)
	if err != nil {
		s.Fault = err.Error()
	}
	s.Phase, s.Playing = phase, playing
	r.judge(&s)
	s.Words = append(s.Words, r.run.Words()...)
	s.Findings = append(s.Findings, r.run.Findings()...)
	if m := r.run.Rated(); m != nil {
		s.Rating = &Rating{m.Generation, m.Rating.Elo, m.Rating.Error}
	}
	s.Charts = r.charts
	for i := len(r.latest) - 1; i >= 0; i-- {
		l := &r.latest[i]
		s.Latest = append(s.Latest, Played{l.generation, l.episode.Game, progress.Summary(r.run.Game, &l.episode)})
	}
	return s
}

// unchanged reports whether a file has not changed since an earlier description.
func unchanged(before, now fs.FileInfo) bool {
	return before != nil && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// readConfig reads the configuration if it has changed, and then starts over, because the folder
// may have another run.
func (r *reader) readConfig() error {
	info, err := r.fsys.Stat(r.folder.Path(rundir.ConfigFile))
	if err != nil || unchanged(r.configInfo, info) {
		return err
	}
	config, err := recipe.Read(r.folder)
	if err != nil {
		return err
	}
	game, err := r.find(config.Game)
	if err != nil {
		return fmt.Errorf("%s: game: %w", r.folder.Path(rundir.ConfigFile), err)
	}
	*r = reader{
		folder: r.folder, fsys: r.fsys, find: r.find, now: r.now, charts: r.charts + 1,
		run: progress.Run{Game: game, Config: config}, configInfo: info,
	}
	return nil
}

// readMetrics reads the metrics if they have changed. It skips damaged lines, and records the
// error.
func (r *reader) readMetrics() error {
	path := r.folder.Path(rundir.MetricsFile)
	info, err := r.fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.run.Metrics != nil {
			r.charts++
		}
		r.run.Metrics, r.metricsInfo, r.damaged = nil, nil, ""
		return nil
	}
	if err != nil || unchanged(r.metricsInfo, info) {
		return err
	}
	lines, err := r.folder.MetricsLines()
	if err != nil {
		return err
	}
	r.run.Metrics, r.damaged = nil, ""
	for i, line := range lines {
		if line.Err != nil {
			r.damaged = fmt.Sprintf("%s:%d: %v", path, i+1, line.Err)
			continue
		}
		r.run.Metrics = append(r.run.Metrics, line.Metrics)
	}
	r.metricsInfo = info
	r.charts++
	return nil
}

// readGames reads the games that have ended since the last call. It returns the phase of the
// next generation, and the number of its finished games.
func (r *reader) readGames(next int) (phase string, ended int, err error) {
	err = r.follow(next)
	if err == nil {
		phase, ended = PhaseSelfplay, r.tail.Games()
		if ended >= r.run.Config.Games(next) {
			phase = PhaseLearning
		}
		return phase, ended, r.readWhole(next - 1)
	}
	r.tail = nil // start again at the beginning of the file
	if !errors.Is(err, fs.ErrNotExist) {
		return PhaseSelfplay, 0, err
	}
	if _, err := r.fsys.Stat(r.folder.Generation(next).Episodes()); err == nil {
		return PhaseLearning, r.run.Config.Games(next), r.readWhole(next)
	}
	return PhaseSelfplay, 0, r.readWhole(next - 1)
}

// follow reads the new part of a generation's partial episode file.
func (r *reader) follow(generation int) (err error) {
	file, err := r.fsys.Open(r.folder.Generation(generation).PartialEpisodes())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if r.tail == nil || r.tailed != generation || info.Size() < r.offset || !sameFile(r.tailInfo, info) {
		r.tail, r.tailed, r.offset = selfplay.NewTail(r.find), generation, 0
	}
	r.tailInfo = info
	if err := skip(file, r.offset); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxPiece))
	if err != nil {
		return err
	}
	r.offset += int64(len(data))
	episodes, err := r.tail.Add(data, latestGames)
	if err != nil {
		return fmt.Errorf("%s: %w", r.folder.Generation(generation).PartialEpisodes(), err)
	}
	r.add(generation, episodes)
	return nil
}

// sameFile reports whether two descriptions belong to the same file, as far as is known:
// os.SameFile supports only the machine's file system.
func sameFile(a, b fs.FileInfo) bool {
	return a == nil || a.Sys() == nil || b.Sys() == nil || os.SameFile(a, b)
}

// skip skips the first bytes of a file.
func skip(file io.Reader, n int64) error {
	if s, ok := file.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, file, n)
	return err
}

// readWhole reads the complete episode file of a generation if it exists and its games are
// not known yet.
func (r *reader) readWhole(generation int) error {
	if n := len(r.latest); r.whole == generation || n > 0 && r.latest[n-1].generation >= generation {
		return nil
	}
	path := r.folder.Generation(generation).Episodes()
	file, err := r.fsys.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	r.whole = generation
	episodes, err := newest(file, r.find)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.add(generation, episodes)
	return nil
}

// newest returns the last games of an episode file.
func newest(file io.Reader, find env.Lookup) (episodes []selfplay.Episode, err error) {
	_, err = selfplay.Each(file, find, func(e selfplay.Episode) {
		episodes = append(episodes, e)
		episodes = episodes[max(0, len(episodes)-latestGames):]
	})
	return episodes, err
}

// add adds games to the latest ones.
func (r *reader) add(generation int, episodes []selfplay.Episode) {
	for _, e := range episodes {
		same := func(l latest) bool { return l.generation == generation && l.episode.Game == e.Game }
		if !slices.ContainsFunc(r.latest, same) {
			r.latest = append(r.latest, latest{generation, e})
		}
	}
	r.latest = slices.Clone(r.latest[max(0, len(r.latest)-latestGames):])
}
