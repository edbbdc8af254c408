package watch

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"tiro/rundir"
)

// osSameFile is os.SameFile, which knows descriptions of the machine's file system only.
func osSameFile(a, b os.FileInfo) bool { return a.Sys() == nil || b.Sys() == nil || os.SameFile(a, b) }

// judge fills in whether the run goes on, and until when.
func (r *reader) judge(s *Status) {
	written := r.written(s.Generation + 1)
	if !written.IsZero() {
		s.Written = written.UnixMilli()
	}
	said := r.readLog()
	if said.stopped != "" {
		s.Phase, s.Last = PhaseStopped, said.stopped
		return
	}
	mean := r.mean()
	if silence := r.now().Sub(written); silence > max(quietAtMost, quietAfter*mean) {
		s.Phase = PhaseQuiet
		return
	}
	if left := r.left(s, mean); left > 0 {
		s.Next = r.now().Add(left).UnixMilli()
	}
	if said.generations > s.Generation {
		s.Target = said.generations
	}
	if !said.ends.IsZero() {
		s.Ends = said.ends.UnixMilli()
	}
}

// mean returns how long the newest generations took on average; 0 if nobody knows.
func (r *reader) mean() time.Duration {
	sum, n := 0.0, 0
	for i := len(r.metrics) - 1; i >= 0 && n < averaged; i-- {
		if m := r.metrics[i].Machine; m != nil && m.Seconds > 0 {
			sum += m.Seconds
			n++
		}
	}
	return time.Duration(sum / float64(max(1, n)) * float64(time.Second))
}

// enoughGames is the part of a generation's games from which on they tell how long the
// rest takes; the first ones to end are the shortest.
const enoughGames = 0.1

// left estimates how long the generation under way will still take; 0 if nobody knows.
func (r *reader) left(s *Status, mean time.Duration) time.Duration {
	if r.metricsInfo == nil || mean == 0 {
		return 0
	}
	gone := r.now().Sub(r.metricsInfo.ModTime())
	played := float64(s.Playing) / float64(max(1, s.Games))
	if s.Phase != PhaseSelfplay || played < enoughGames {
		return mean - gone
	}
	newest := r.metrics[len(r.metrics)-1].Machine
	rest := 0.0 // seconds of learning and duels
	if newest != nil {
		rest = max(0, newest.Seconds-newest.SelfplaySeconds)
	}
	games := gone.Seconds() * (1 - played) / played
	return time.Duration((games + rest) * float64(time.Second))
}

// written returns when the run wrote last, as far as its files say.
func (r *reader) written(next int) (last time.Time) {
	g := r.folder.Generation(next)
	for _, path := range []string{
		r.folder.Path(rundir.ConfigFile), r.folder.Path(rundir.MetricsFile), r.folder.Path(rundir.LogFile),
		r.folder.Path(rundir.CheckpointsDir), r.folder.Path(rundir.EpisodesDir), g.PartialEpisodes(),
	} {
		if info, err := r.fsys.Stat(path); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// said is what the end of the log of a run says.
type said struct {
	stopped     string    // why the run has stopped; "": it has not said so
	ends        time.Time // when it will have reached its target
	generations int       // that it is to have; 0: not known
}

// logEnd is how much of the log is read, in bytes.
const logEnd = 64 << 10

// readLog reads the end of the log. Of a log that cannot be read nothing is known.
func (r *reader) readLog() (s said) {
	file, err := r.fsys.Open(r.folder.Path(rundir.LogFile))
	if err != nil {
		return s
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || skip(file, max(0, info.Size()-logEnd)) != nil {
		return s
	}
	data, err := io.ReadAll(io.LimitReader(file, logEnd))
	if err != nil {
		return s
	}
	for line := range bytes.Lines(data) {
		s.add(line)
	}
	return s
}

// add takes a line of the log.
func (s *said) add(line []byte) {
	var l struct {
		Time        time.Time
		Level, Msg  string
		Left        string
		Generations int
	}
	if json.Unmarshal(line, &l) != nil {
		return // the first one, which was cut, or of something else
	}
	s.stopped = ""
	switch {
	case l.Level == "ERROR", strings.HasPrefix(l.Msg, "stopped"), l.Msg == "target reached":
		s.stopped = l.Msg
	case l.Msg == "train":
		s.ends, s.generations = time.Time{}, l.Generations
	case l.Left != "":
		if left, err := time.ParseDuration(l.Left); err == nil {
			s.ends = l.Time.Add(left)
		}
	}
}
