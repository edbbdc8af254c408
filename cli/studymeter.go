package cli

import (
	"fmt"
	"strings"
	"time"

	"tiro/arena"
	"tiro/study"
)

// studyMeter shows the matches of a study one after the other, and how long all of
// them will take.
type studyMeter struct {
	meter *meter
	begun time.Time // of the first match; zero: none yet
	work  float64   // of the matches that have ended here
}

// match shows a match; it is a study.Progress.
func (s *studyMeter) match(u study.Upcoming) (game func(arena.Progress), end func()) {
	if s.begun.IsZero() {
		s.begun = time.Now()
	}
	short, _, _ := strings.Cut(u.Title, ",")
	s.meter.start(job{what: u.Title + ",", short: short, steps: amount{total: u.Games, unit: "games"}})
	done := 0.0 // of this match
	game = func(p arena.Progress) {
		done = u.Work * float64(p.Done) / float64(p.Games)
		s.meter.set(p.Done, p.String())
		s.meter.whole(s.left(done, u.Left-done))
	}
	end = func() {
		s.work += done
		s.meter.end()
	}
	return game, end
}

// left estimates the time that so much work will take, in words, when so much of
// the match at hand is done; "" if it is too early to tell.
func (s *studyMeter) left(done, work float64) string {
	took := time.Since(s.begun)
	if took < 2*logEvery || s.work+done == 0 {
		return ""
	}
	return "about " + roughly(time.Duration(float64(took)*work/(s.work+done))) + " left in all"
}

// turns tells people how far the trainings of an ablation are.
type turns struct {
	begun time.Time // of the first one here; zero: none yet
	first int       // its number
}

// title returns what to say when a training begins.
func (t *turns) title(turn study.Turn, now time.Time) string {
	if t.begun.IsZero() {
		t.begun, t.first = now, turn.Number
	}
	text := fmt.Sprintf("training %d of %d", turn.Number, turn.All)
	left := turn.Left
	if done := turn.Number - t.first; left == 0 && done > 0 {
		left = now.Sub(t.begun) / time.Duration(done) * time.Duration(turn.All-turn.Number+1)
	}
	if left > 0 {
		text += fmt.Sprintf("; about %s of training left", roughly(left))
	}
	return text
}
