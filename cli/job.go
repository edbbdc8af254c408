package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
)

// job is a piece of work whose progress a meter shows.
type job struct {
	what  string // such as "match 3 of 9, generation 10 against random"
	short string // the same for a narrow terminal, such as "match 3 of 9"; empty: as what
	steps amount
	fine  amount // progress between steps, which rate and time left are computed from; none if its unit is empty
	note  string // such as how a match stands
	whole string // time left of a whole of which this job is a part; shown instead of the job's own
	begun time.Time
	pace  pace // of the finest amount
}

// amount is how far something has come.
type amount struct {
	done, total int // a total of 0 is unknown
	unit        string
}

// String returns the amount without its unit.
func (a amount) String() string {
	if a.total == 0 {
		return strconv.Itoa(a.done)
	}
	return fmt.Sprintf("%d/%d", a.done, a.total)
}

// finest returns the amount that shows the progress of j best.
func (j *job) finest() *amount {
	if j.fine.unit != "" {
		return &j.fine
	}
	return &j.steps
}

// line returns the progress of j in at most so many columns: a bar, or a sign that
// turns where nobody knows how much is left, and as much text as fits.
func (j *job) line(now time.Time, columns int) string {
	const wide, narrow, least = 28, 18, 12 // columns of the bar, with the percentage
	counted, short := j.what+" "+j.steps.String(), cmp.Or(j.short, j.what)+" "+j.steps.String()
	unit, left := " "+j.steps.unit, j.timeLeft()
	for _, form := range []struct {
		bar  int
		text string
	}{
		{wide, list(counted+unit, j.note, j.speed(), left)},
		{wide, list(counted+unit, j.note, left)},
		{narrow, list(counted+unit, j.note, left)},
		{narrow, list(short+unit, j.note, left)},
		{least, list(short+unit, left)},
		{least, list(short, left)},
		{0, list(short, left)},
	} {
		if bar := j.bar(now, form.bar); utf8.RuneCountInString(bar+form.text) <= columns {
			return bar + form.text
		}
	}
	line := []rune(short)
	return string(line[:max(0, min(len(line), columns))])
}

// bar returns the bar of j in so many columns, or the sign.
func (j *job) bar(now time.Time, columns int) string {
	finest := j.finest()
	if columns == 0 {
		return ""
	}
	if finest.total <= 0 {
		const signs = `|/-\`
		return fmt.Sprintf("%c ", signs[int(now.Sub(j.begun)/redrawEvery)%len(signs)])
	}
	const frame = len(" 50% || ")
	b := progressbar.NewOptions(finest.total,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetWidth(columns-frame),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
	)
	_ = b.Set(min(finest.done, finest.total-1)) // a full bar vanishes; writing to nowhere cannot fail
	_ = b.RenderBlank()
	return strings.TrimRight(strings.TrimPrefix(b.String(), "\r "), " ") + " "
}

// list joins the parts that are not empty.
func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// speed returns how fast the job is, or how far it is as long as that is unknown.
func (j *job) speed() string {
	if r := j.pace.rate(); r > 0 {
		return rate(r, " "+j.finest().unit)
	}
	return ""
}

// timeLeft returns how long the job, or what it is a part of, will take, in words.
func (j *job) timeLeft() string {
	if j.whole != "" {
		return j.whole
	}
	if left, ok := j.left(); ok {
		return roughly(left) + " left"
	}
	return ""
}

// left estimates how long the job will take from here on. It is unknown as long as
// nobody knows how much there is to do, or how fast it goes.
func (j *job) left() (d time.Duration, ok bool) {
	finest, r := j.finest(), j.pace.rate()
	if finest.total <= 0 || finest.done >= finest.total || r <= 0 {
		return 0, false
	}
	return time.Duration(float64(finest.total-finest.done) / r * float64(time.Second)), true
}

// record returns the log line of j.
func (j *job) record() (text string, attrs []any) {
	text = fmt.Sprintf("%s %d of %d %s", j.what, j.steps.done, j.steps.total, j.steps.unit)
	if j.fine.unit != "" {
		text += fmt.Sprintf(", %d %s", j.fine.done, j.fine.unit)
	}
	if j.note != "" {
		text += " " + j.note
	}
	if r := j.pace.rate(); r > 0 {
		attrs = append(attrs, "rate", rate(r, ""))
	}
	if j.whole != "" {
		text += ", " + j.whole
	} else if left, ok := j.left(); ok {
		attrs = append(attrs, "left", left.Round(time.Second).String())
	}
	return text, attrs
}

// rate returns a rate with three digits, or all digits before the point.
func rate(perSecond float64, unit string) string {
	if perSecond >= 100 {
		return fmt.Sprintf("%.0f%s/s", perSecond, unit)
	}
	return fmt.Sprintf("%.3g%s/s", perSecond, unit)
}

// roughly returns a duration for people: seconds up to two minutes, minutes up to
// two hours, then hours.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// pace is how fast something goes of late.
type pace struct{ marks []mark }

// mark says how much was done at a time.
type mark struct {
	at   time.Time
	done int
}

// A pace looks back as far as it takes to see so much time and so much progress.
const (
	paceTime     = 10 * time.Second
	paceProgress = 20
)

// add adds a mark.
func (p *pace) add(at time.Time, done int) {
	p.marks = append(p.marks, mark{at, done})
	for len(p.marks) > 2 && at.Sub(p.marks[1].at) >= paceTime && done-p.marks[1].done >= paceProgress {
		p.marks = p.marks[1:]
	}
}

// rate returns the progress per second; 0: unknown.
func (p *pace) rate() float64 {
	if len(p.marks) < 2 {
		return 0
	}
	first, last := p.marks[0], p.marks[len(p.marks)-1]
	if last.at.Equal(first.at) {
		return 0
	}
	return float64(last.done-first.done) / last.at.Sub(first.at).Seconds()
}
