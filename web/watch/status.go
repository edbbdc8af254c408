package watch

import (
	"html/template"

	"tiro/train"
)

// Phases of a run.
const (
	PhaseWaiting  = "waiting"   // the folder has no run yet
	PhaseSelfplay = "self-play" // games of the next generation are being played
	PhaseLearning = "learning"  // learning from these games, duels and the checkpoint
	PhaseStopped  = "stopped"   // stopped according to the log
	PhaseQuiet    = "quiet"     // no file has changed for a long time: the training was probably killed
	PhaseBroken   = "broken"    // the folder cannot be read
)

// Listed is a run in the list of runs.
type Listed struct {
	ID   string `json:"id"`
	Name string `json:"name"` // path as given
}

// Status is the state of a run. Times are in milliseconds since 1970, 0 if unknown.
type Status struct {
	Listed
	Game       string        `json:"game"`
	Phase      string        `json:"phase"`
	Generation int           `json:"generation"` // newest complete generation
	Target     int           `json:"target"`     // last generation of the training; 0 without such a limit
	Playing    int           `json:"playing"`    // finished games of the next generation
	Games      int           `json:"games"`      // games of a generation
	Written    int64         `json:"written"`    // time of the last change of the run's files
	Next       int64         `json:"next"`       // estimated end of the next generation
	Ends       int64         `json:"ends"`       // estimated end of the run
	Last       string        `json:"last"`       // reason for stopping
	Fault      string        `json:"fault"`      // error of reading the run
	Rating     *Rating       `json:"rating"`     // newest rating from duels
	Words      []string      `json:"words"`      // state in sentences
	Findings   []train.Fault `json:"findings"`   // findings of the diagnosis
	Charts     int           `json:"charts"`     // counts changes of the charts
	Latest     []Played      `json:"latest"`     // latest games, newest first
}

// Rating is the strength of a network in Elo above generation 0.
type Rating struct {
	Generation int     `json:"generation"`
	Elo        float64 `json:"elo"`
	Error      float64 `json:"error"` // half the width of the 95% interval
}

// Played identifies a self-play game.
type Played struct {
	Generation int    `json:"generation"`
	Number     int    `json:"number"`
	Title      string `json:"title"`
}

// Charts are the charts of a run.
type Charts struct {
	Version int      `json:"version"` // Status.Charts
	Figures []Figure `json:"figures"`
}

// Figure is a chart with its title. SVG and Legend are elements for a page with the style
// sheet of package chart.
type Figure struct {
	Title  string        `json:"title"`
	SVG    template.HTML `json:"svg"`
	Legend template.HTML `json:"legend"`
	Note   string        `json:"note"`
}
