package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"tiro/rundir"
	"tiro/study/progress"
)

// restFactor is the length of the pause after a reading, relative to the reading. It limits
// reading to a small fraction of a core.
const restFactor = 20

// maxPlies is the maximum number of plies shown of a game.
const maxPlies = 5000

// feed is the state of a run for all browsers. It is safe for concurrent use.
type feed struct {
	listed Listed
	every  time.Duration

	mu     sync.Mutex
	reader *reader
	due    time.Time // time of the next reading
	status Status
	text   []byte // the status as JSON
	charts []byte // as JSON, of version drawn
	drawn  int
}

// refresh locks f.mu, and reads the run if a reading is due. It returns a function that unlocks
// f.mu.
func (f *feed) refresh() (unlock func()) {
	f.mu.Lock()
	begun := f.reader.now()
	if begun.Before(f.due) {
		return f.mu.Unlock
	}
	f.status = f.reader.read()
	f.status.Listed = f.listed
	text, err := json.Marshal(f.status)
	if err != nil { // damaged metrics may contain a number that JSON cannot represent
		f.status = Status{Listed: f.listed, Phase: PhaseBroken, Fault: err.Error()}
		text, _ = json.Marshal(f.status)
	}
	f.text = text
	now := f.reader.now()
	f.due = now.Add(max(f.every, restFactor*now.Sub(begun)))
	return f.mu.Unlock
}

// current returns the status as JSON.
func (f *feed) current() []byte {
	defer f.refresh()()
	return f.text
}

// newest returns the newest generation of the run, nil if there is none. It must not be changed.
func (f *feed) newest() *rundir.Metrics {
	defer f.refresh()()
	return f.reader.run.Newest()
}

// curves returns the charts as JSON. They are drawn once for all browsers.
func (f *feed) curves() ([]byte, error) {
	defer f.refresh()()
	if f.drawn == f.status.Charts {
		return f.charts, nil
	}
	charts, err := json.Marshal(drawn(f.reader.run.Figures(), f.status.Charts))
	if err != nil {
		return nil, err
	}
	f.charts, f.drawn = charts, f.status.Charts
	return charts, nil
}

// figures returns the charts, which the caller may change, and their version.
func (f *feed) figures() ([]progress.Figure, int) {
	defer f.refresh()()
	return f.reader.run.Figures(), f.status.Charts
}

// drawn returns figures as they are sent.
func drawn(figures []progress.Figure, version int) Charts {
	c := Charts{Version: version, Figures: []Figure{}}
	for _, f := range figures {
		c.Figures = append(c.Figures, Figure{f.Title, f.Chart.SVG(), f.Chart.Legend(), f.Note})
	}
	return c
}

// errGone is the error for a game that is not among the latest.
var errGone = errors.New("this game is not among the latest of the run")

// replay returns one of the latest games as JSON.
func (f *feed) replay(generation, number int) ([]byte, error) {
	defer f.refresh()()
	for i := range f.reader.latest {
		l := &f.reader.latest[i]
		if l.generation != generation || l.episode.Game != number {
			continue
		}
		re := progress.NewReplay(f.reader.run.Game, maxPlies)
		title := fmt.Sprintf("Generation %d, game %d: %s", generation, number, progress.Summary(f.reader.run.Game, &l.episode))
		if err := re.Add(nil, title, &l.episode); err != nil {
			return nil, err
		}
		return json.Marshal(re)
	}
	return nil, errGone
}
