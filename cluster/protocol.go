package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"tiro/env"
	"tiro/format"
)

// Subjects. A worker may publish to the first three, with its own name, and subscribe to
// newsSubject and to its inbox. The trainer answers only to the inbox of the worker whose
// name is in the subject of the request.
const (
	askPrefix     = "tiro.ask."     // + worker: what it plays, and what it wants
	gamePrefix    = "tiro.game."    // + worker.announcement.number: a finished game
	networkPrefix = "tiro.network." // + worker.checksum.offset: a piece of a network
	newsSubject   = "tiro.news"     // something else is to be played
	inboxPrefix   = "_INBOX.worker."

	trainerSubject = "tiro.trainer" // which trainer works at the server
)

// Bounds on messages, in bytes.
const (
	maxMessage      = 4 << 20 // the server refuses what is larger
	maxAnnouncement = 256 << 10
	maxAsk          = 256 << 10
	maxAnswer       = 1 << 20 // to a worker that asks: an announcement, and numbers of games
	networkPiece    = 256 << 10
	maxWeights      = 4 << 30
)

// namePattern is what names of workers look like, since they are parts of subjects.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// CheckName returns an error unless name can be the name of a worker.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("worker name %.70q; want 1 to 64 letters, digits, - and _", name)
	}
	return nil
}

// workerSubjects returns all that a worker may publish and subscribe to. The name "*" is
// that of any worker.
func workerSubjects(name string) (publish, subscribe []string) {
	publish = []string{askPrefix + name, gamePrefix + name + ".*.*", networkPrefix + name + ".*.*"}
	return publish, []string{inboxPrefix + name + ".>", newsSubject}
}

// processOf returns the name of a worker's process: that of the worker, and the part of
// the inbox by which the library tells connections apart. It reports whether the inbox,
// to which the answer goes, is the worker's.
func processOf(name, inbox string) (process string, ok bool) {
	rest, ok := strings.CutPrefix(inbox, inboxPrefix+name+".")
	connection, _, _ := strings.Cut(rest, ".")
	return name + "/" + connection, ok && (CheckName(name) == nil || name == trainerName) && CheckName(connection) == nil
}

// Kinds of announcement.
const (
	generationKind = "generation"
	matchesKind    = "matches"
)

// announced is what every announcement begins with.
type announced struct {
	Kind    string `json:"kind"`
	Tiro    string `json:"tiro"`    // version of the program
	Game    string `json:"game"`    // canonical game string
	Rules   string `json:"rules"`   // RulesDigest of the game
	Backend string `json:"backend"` // that networks are computed on
}

func newAnnounced(kind string, game env.Game, version, backend string) announced {
	return announced{Kind: kind, Tiro: version, Game: game.Spec().Name, Rules: RulesDigest(game), Backend: backend}
}

// encodeAnnouncement returns the message.
func encodeAnnouncement(a any) ([]byte, error) {
	data, err := json.Marshal(a)
	if err == nil && len(data) > maxAnnouncement {
		err = fmt.Errorf("the announcement has %d bytes; want at most %d", len(data), maxAnnouncement)
	}
	return data, err
}

// digestOf returns 16 digits that name an announcement.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// errRefused is wrapped by errors about announcements that this program will not
// play, whatever else happens.
var errRefused = errors.New("refused")

// parseAnnouncement reads an announcement for a program of a version.
func parseAnnouncement(data []byte, version string, find env.Lookup) (work, error) {
	w, err := readAnnouncement(data, version, find)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	return w, nil
}

func readAnnouncement(data []byte, version string, find env.Lookup) (work, error) {
	if len(data) > maxAnnouncement {
		return nil, fmt.Errorf("the announcement has %d bytes; want at most %d", len(data), maxAnnouncement)
	}
	var a announced
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("the announcement: %w", err)
	}
	// The version comes first: another one may announce fields that are not known here.
	if a.Tiro != version {
		return nil, fmt.Errorf("the trainer is tiro %.60q, this is %q; want the same version", a.Tiro, version)
	}
	game, err := find(a.Game)
	if err != nil {
		return nil, fmt.Errorf("game: %w", err)
	}
	if own := RulesDigest(game); own != a.Rules {
		return nil, fmt.Errorf("rules or planes of %.100s differ: their digest is %.40q there and %q here", a.Game, a.Rules, own)
	}
	switch a.Kind {
	case generationKind:
		return readGeneration(data, game, find)
	case matchesKind:
		return readMatches(data, game, find)
	}
	return nil, fmt.Errorf("the announcement is of kind %.40q", a.Kind)
}

// request is what a worker says every few seconds, when a game has ended, and when it
// wants games.
type request struct {
	Tiro       string `json:"tiro"`
	Backend    string `json:"backend"`
	Goroutines int    `json:"goroutines"`
	ID         string `json:"id"`      // announcement that it has; empty: none
	Held       []int  `json:"held"`    // games that it plays or has still to send
	Want       int    `json:"want"`    // more games that it could play now
	Refused    string `json:"refused"` // why it does not play the announcement

	// Since the process began.
	Evaluations int     `json:"evaluations"`
	CPUSeconds  float64 `json:"cpu_seconds"`
}

// Bounds of what a worker says of itself.
const (
	maxGoroutines  = 4096
	maxBackend     = 64      // letters of its name
	maxEvaluations = 1 << 50 // of a process, and of a player in all
	maxCPUSeconds  = 1e12    // likewise
	maxProcesses   = 4096    // of all workers
	maxOfName      = 256     // of one worker
)

// check returns why a trainer of a version refuses the request.
func (q *request) check(version string) error {
	switch {
	case q.Tiro != version:
		return fmt.Errorf("the trainer is tiro %q, the worker is %.60q; want the same version", version, q.Tiro)
	case len(q.Backend) > maxBackend:
		return fmt.Errorf("backend %.70q; want at most %d letters", q.Backend, maxBackend)
	case q.Goroutines < 1 || q.Goroutines > maxGoroutines:
		return fmt.Errorf("%d goroutines; want 1 to %d", q.Goroutines, maxGoroutines)
	case q.Evaluations < 0 || q.Evaluations > maxEvaluations:
		return fmt.Errorf("evaluations is %d; want 0 to %d", q.Evaluations, maxEvaluations)
	case !(q.CPUSeconds >= 0 && q.CPUSeconds <= maxCPUSeconds): // NaN too
		return fmt.Errorf("cpu_seconds is %g; want 0 to %g", q.CPUSeconds, maxCPUSeconds)
	}
	return nil
}

// reply answers a request.
type reply struct {
	ID           string          `json:"id"`           // announcement that is being played; empty: none now
	Announcement json.RawMessage `json:"announcement"` // unless the worker has it
	Granted      []int           `json:"granted"`      // games that are now the worker's
	Over         []int           `json:"over"`         // games that it holds and need not play on
	EveryMilli   int             `json:"every_milli"`  // how often it is to be heard of
	Refused      string          `json:"refused"`      // why it gets none
}

// decodeMessage reads a message of at most limit bytes.
func decodeMessage(data []byte, limit int, v any) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes; want at most %d", len(data), limit)
	}
	return format.DecodeStrict(data, v)
}

// clip returns a text that others have had a part in, shortened to what is kept of it.
func clip(text string) string {
	const most = 400
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
