package watch

import "html/template"

// Phases of a run.
const (
	PhaseWaiting  = "waiting"   // there is no run in the folder yet
	PhaseSelfplay = "self-play" // games of the next generation are being played
	PhaseLearning = "learning"  // from these games; then come duels and a checkpoint
	PhaseStopped  = "stopped"   // as its log records
	PhaseQuiet    = "quiet"     // nothing has been written for long: it was probably killed
	PhaseBroken   = "broken"    // the folder cannot be read
)

// Listed is a run in the list of runs.
type Listed struct {
	ID   string `json:"id"`
	Name string `json:"name"` // path, as it was named
}

// Status is how a run stands. Times are in milliseconds since 1970, 0 if unknown.
type Status struct {
	Listed
	Game       string    `json:"game"`
	Phase      string    `json:"phase"`
	Generation int       `json:"generation"` // the newest complete one
	Target     int       `json:"target"`     // generations that the run is to have; 0: no such target
	Playing    int       `json:"playing"`    // games of the next generation that have ended
	Games      int       `json:"games"`      // of a generation
	Written    int64     `json:"written"`    // when the run wrote last
	Next       int64     `json:"next"`       // when the next generation will be complete
	Ends       int64     `json:"ends"`       // when the run will end
	Last       string    `json:"last"`       // why it has stopped
	Fault      string    `json:"fault"`      // what cannot be read
	Rating     *Rating   `json:"rating"`     // the newest, by duels
	Words      []string  `json:"words"`      // how it stands, in sentences
	Findings   []Finding `json:"findings"`   // what looks wrong
	Charts     int       `json:"charts"`     // counts changes of the charts
	Latest     []Played  `json:"latest"`     // games, the newest first
}

// Rating is the strength of a network in Elo above generation 0.
type Rating struct {
	Generation int     `json:"generation"`
	Elo        float64 `json:"elo"`
	Error      float64 `json:"error"` // half the width of the 95% interval
}

// Finding is what looks wrong with a run, and what may help.
type Finding struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Played names a game of self-play.
type Played struct {
	Generation int    `json:"generation"`
	Number     int    `json:"number"`
	Title      string `json:"title"`
}

// Charts are the curves of a run.
type Charts struct {
	Version int      `json:"version"` // Status.Charts
	Figures []Figure `json:"figures"`
}

// Figure is a chart with its title. SVG and Legend are elements of a page that has
// the style sheet of package chart.
type Figure struct {
	Title  string        `json:"title"`
	SVG    template.HTML `json:"svg"`
	Legend template.HTML `json:"legend"`
	Note   string        `json:"note"`
}
