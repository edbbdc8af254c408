package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"tiro/study/progress"
)

// restFactor is the length of the pause after a reading, relative to the reading. It limits
// reading to a small fraction of a core.
const restFactor = 20

// maxPlies is the maximum number of plies shown of a game.
const maxPlies = 5000

// feed is the state of a run for all browsers. It is safe for concurrent use.
type feed struct {
	every time.Duration

	mu     sync.Mutex
	reader *reader
	due    time.Time // time of the next reading
	status Status
	text   []byte // the status as JSON
	charts []byte // as JSON, of version drawn
	drawn  int
}

func newFeed(r *reader, every time.Duration) *feed {
	return &feed{every: every, reader: r, drawn: -1}
}

// refresh reads the run if a reading is due. f.mu must be held.
func (f *feed) refresh() {
	begun := f.reader.now()
	if begun.Before(f.due) {
		return
	}
	f.status = f.reader.read()
	text, err := json.Marshal(f.status)
	if err != nil { // damaged metrics may contain a number that JSON cannot represent
		f.status = Status{Listed: f.status.Listed, Phase: PhaseBroken, Fault: err.Error()}
		text, _ = json.Marshal(f.status)
	}
	f.text = text
	now := f.reader.now()
	f.due = now.Add(max(f.every, restFactor*now.Sub(begun)))
}

// current returns the status as JSON.
func (f *feed) current() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	return f.text
}

// curves returns the charts as JSON. They are drawn once for all browsers.
func (f *feed) curves() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
	if f.drawn == f.status.Charts {
		return f.charts, nil
	}
	c := Charts{Version: f.status.Charts, Figures: []Figure{}}
	if f.reader.run.Game != nil {
		for _, figure := range f.reader.run.Figures() {
			c.Figures = append(c.Figures, Figure{figure.Title, figure.Chart.SVG(), figure.Chart.Legend(), figure.Note})
		}
	}
	charts, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	f.charts, f.drawn = charts, c.Version
	return charts, nil
}

// errGone is the error for a game that is not among the latest.
var errGone = errors.New("this game is not among the latest of the run")

// replay returns one of the latest games as JSON.
func (f *feed) replay(generation, number int) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh()
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
