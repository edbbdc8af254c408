package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"tiro/env"
	"tiro/format"
	"tiro/internal/faults"
)

// Subjects. A worker may publish to the first under its own name, and subscribe to
// newsSubject and to its own inbox. The trainer answers only to the inbox of the worker
// named in the subject of a request.
const (
	askPrefix   = "tiro.ask." // + worker: a request
	newsSubject = "tiro.news" // another task has begun or ended
	inboxPrefix = "_INBOX.worker."
)

// Bounds on messages, in bytes.
const (
	maxMessage      = 4 << 20 // larger messages are refused by the server
	maxAnnouncement = 1 << 20
	maxGames        = 1 << 20 // of the games in a request, unless it has only one
	maxGame         = maxMessage / 2
	networkPiece    = 256 << 10
)

// Bounds on a worker's reports.
const (
	maxGoroutines  = 4096
	maxBackend     = 128 // letters
	maxHand        = 1 << 14
	maxEvaluations = 1 << 50
	maxCPUSeconds  = 1e12
)

// namePattern describes names of workers, which are parts of subjects.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckName returns an error unless name is a valid name of a worker.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("worker name %.70q must have 1 to 64 letters, digits, - and _", name)
	}
	return nil
}

// announcement describes a task: everything that its games depend on. The same generation
// of a run has the same announcement, whichever trainer announces it.
type announcement struct {
	Tiro    string `json:"tiro"`    // version of the program
	Game    string `json:"game"`    // canonical game string
	Rules   string `json:"rules"`   // rulesDigest of the game
	Backend string `json:"backend"` // kind of the backend that computes the networks

	Generation *announcedGeneration `json:"generation,omitempty"` // or
	Matches    announcedMatches     `json:"matches,omitempty"`
}

// readAnnouncement reads an announcement for a program of a version.
func readAnnouncement(data []byte, version string, find env.Lookup) (a announcement, w work, err error) {
	if err := format.DecodeStrict(data, &a); err != nil {
		return a, nil, fmt.Errorf("the announcement: %w", err)
	}
	if a.Tiro != version { // a trainer refuses other versions
		return a, nil, fmt.Errorf("the trainer is tiro %.60q and this is %q; both must have the same version", a.Tiro, version)
	}
	game, err := find(a.Game)
	if err != nil {
		return a, nil, fmt.Errorf("game: %w", err)
	}
	if own := rulesDigest(game); own != a.Rules {
		return a, nil, fmt.Errorf("rules or planes of %.100s differ: their digest is %.40q there and %q here", a.Game, a.Rules, own)
	}
	switch {
	case a.Generation != nil:
		w, err = a.Generation.work(game, find)
	case a.Matches != nil:
		w, err = a.Matches.matches(game, find)
	default:
		err = errors.New("the announcement has neither a generation nor matches")
	}
	return a, w, err
}

// request is a worker's report to the trainer, which it sends every askEvery, whenever a
// game has ended, and to get a piece of a network. An empty message asks whether there is a
// trainer.
type request struct {
	Tiro       string   `json:"tiro"`
	Backend    string   `json:"backend"`
	Goroutines int      `json:"goroutines"`
	ID         string   `json:"id"`      // of the announcement; empty: none
	Refused    string   `json:"refused"` // why the worker does not play the announcement
	Games      [][]byte `json:"games"`   // finished games
	Held       []int    `json:"held"`    // games that the worker plays or has still to send
	Want       int      `json:"want"`    // games that it could play besides
	Network    string   `json:"network"` // network of which it needs a piece, by objectOf its checksum; empty: none
	Offset     int      `json:"offset"`  // of the piece

	// Since the worker received the announcement.
	Evaluations int     `json:"evaluations"`
	CPUSeconds  float64 `json:"cpu_seconds"`
}

// check returns why a trainer of a version refuses the request.
func (q *request) check(version string) error {
	if q.Tiro != version {
		return fmt.Errorf("the trainer is tiro %q and the worker %.60q; both must have the same version", version, q.Tiro)
	}
	var f faults.List
	faults.Within(&f, "letters of backend", len(q.Backend), 0, maxBackend)
	faults.Within(&f, "goroutines", q.Goroutines, 1, maxGoroutines)
	faults.Within(&f, "games held", len(q.Held), 0, maxHand)
	faults.Within(&f, "evaluations", q.Evaluations, 0, maxEvaluations)
	faults.Within(&f, "cpu_seconds", q.CPUSeconds, 0, maxCPUSeconds)
	return f.Err()
}

// reply answers a request, and acknowledges its games.
type reply struct {
	ID           string          `json:"id"`           // of the current announcement; empty: none
	Announcement json.RawMessage `json:"announcement"` // unless the worker has it
	Granted      []int           `json:"granted"`      // games that are now the worker's
	Over         []int           `json:"over"`         // games that it holds and need not finish
	Piece        []byte          `json:"piece"`        // of the network; all but the last have networkPiece bytes
	Refused      string          `json:"refused"`      // why it gets no games
}

// decodeMessage reads a message. It ignores unknown fields, so that a message of another
// version is refused because of that.
func decodeMessage(data []byte, v any) error {
	if len(data) > maxMessage {
		return fmt.Errorf("a message has %d bytes; the limit is %d", len(data), maxMessage)
	}
	return format.Explain(json.Unmarshal(data, v))
}

// clip shortens a text that others have influenced.
func clip(text string) string { return fmt.Sprintf("%.400s", text) }
