package watch

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"tiro/rundir"
	"tiro/study/progress"
)

// judge sets the phase of the run and the estimated times.
func (r *reader) judge(s *Status) {
	written := r.written(s.Generation + 1)
	if !written.IsZero() {
		s.Written = written.UnixMilli()
	}
	r.run.State = r.readLog()
	if phase := r.run.State.Phase; phase != "" && phase != progress.Training {
		s.Phase, s.Last = PhaseStopped, r.run.State.Reason
		return
	}
	now, each := r.now(), r.run.Each()
	if now.Sub(written) > max(quietAtMost, quietAfter*each) {
		s.Phase = PhaseQuiet
		return
	}
	complete := now // time at which the newest generation was complete
	if r.metricsInfo != nil {
		complete = r.metricsInfo.ModTime()
		if each > 0 {
			if due := now.Add(-each); complete.Before(due) { // the run was stopped meanwhile, or the generation is late
				complete = due
			}
			s.Next = complete.Add(each).UnixMilli()
		}
	}
	if left := r.run.Left(complete); left > 0 {
		s.Ends = complete.Add(left).UnixMilli()
	}
	if target := r.run.State.Generations; target > s.Generation {
		s.Target = target
	}
}

// written returns the time of the last change of the run's files.
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

// logEnd is the size of the part of the log that is read, in bytes.
const logEnd = 64 << 10

// readLog returns the newest state in the log, or the zero State if there is none or the log
// cannot be read.
func (r *reader) readLog() (newest progress.State) {
	file, err := r.fsys.Open(r.folder.Path(rundir.LogFile))
	if err != nil {
		return newest
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || skip(file, max(0, info.Size()-logEnd)) != nil {
		return newest
	}
	data, err := io.ReadAll(io.LimitReader(file, logEnd))
	if err != nil {
		return newest
	}
	for line := range bytes.Lines(data) {
		var l map[string]json.RawMessage
		if json.Unmarshal(line, &l) != nil { // the partial first line, or damage
			continue
		}
		var s progress.State
		if text, ok := l[progress.StateKey]; ok && json.Unmarshal(text, &s) == nil {
			newest = s
		}
	}
	return newest
}
