package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"tiro/env"
	"tiro/format"
)

// Names at the server. Workers may publish and read nothing else.
const (
	bucket         = "tiro"                          // key-value: what is to be played
	announcedKey   = "announcement"                  // its one key
	weightsStore   = "tiro-weights"                  // object store: the network, and start positions
	episodesStream = "TIRO_EPISODES"                 // games that the trainer has not taken yet
	episodePrefix  = "tiro.episode."                 // + announcement + "." + worker
	probeSubject   = episodePrefix + "probe.trainer" // by which the trainer sees whether games arrive
	leasePrefix    = "tiro.lease."                   // + worker: requests to the trainer
	trainerSubject = "tiro.trainer"                  // which trainer works at the server
	consumerName   = "trainer"                       // of the episodes
	inboxPrefix    = "_INBOX.worker."                // + worker: answers to it
)

// Bounds on messages, in bytes. The server refuses what is larger than maxMessage.
const (
	maxMessage      = 8 << 20
	maxAnnouncement = 256 << 10
	maxRequest      = 256 << 10
	maxWeights      = 4 << 30
)

// Kinds of announcement.
const (
	generationKind = "generation"
	matchesKind    = "matches"
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

// announced is what every announcement begins with.
type announced struct {
	Kind       string `json:"kind"`
	Tiro       string `json:"tiro"`        // version of the program
	Game       string `json:"game"`        // canonical game string
	Rules      string `json:"rules"`       // RulesDigest of the game
	Backend    string `json:"backend"`     // that networks are computed on
	LeaseMilli int64  `json:"lease_milli"` // how long a worker may be silent before others play its games
}

func newAnnounced(kind string, game env.Game, version, backend string, leaseMilli int64) announced {
	return announced{Kind: kind, Tiro: version, Game: game.Spec().Name, Rules: RulesDigest(game), Backend: backend, LeaseMilli: leaseMilli}
}

// encodeAnnouncement returns the message.
func encodeAnnouncement(a any) ([]byte, error) {
	data, err := json.Marshal(a)
	if err == nil && len(data) > maxAnnouncement {
		err = fmt.Errorf("the announcement has %d bytes; want at most %d", len(data), maxAnnouncement)
	}
	return data, err
}

// digestOf returns 16 digits by which an announcement or start positions are named.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// offer is an announcement as a worker has understood it.
type offer struct {
	assignment
	id string
}

// errRefused is wrapped by errors about announcements that this program will not
// play, whatever else happens.
var errRefused = errors.New("refused")

// parseAnnouncement reads an announcement for a program of that version.
func parseAnnouncement(data []byte, version string, find env.Lookup) (offer, error) {
	o := offer{id: digestOf(data)}
	if len(data) > maxAnnouncement {
		return o, fmt.Errorf("%w: the announcement has %d bytes; want at most %d", errRefused, len(data), maxAnnouncement)
	}
	var err error
	if o.assignment, err = readAnnouncement(data, version, find); err != nil {
		return o, fmt.Errorf("%w: %w", errRefused, err)
	}
	return o, nil
}

func readAnnouncement(data []byte, version string, find env.Lookup) (assignment, error) {
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
	if a.LeaseMilli < 1 {
		return nil, fmt.Errorf("lease_milli is %d; want 1 or more", a.LeaseMilli)
	}
	switch a.Kind {
	case generationKind:
		return readGeneration(data, game, find)
	case matchesKind:
		return readMatches(data, game, find)
	}
	return nil, fmt.Errorf("the announcement is of kind %.40q", a.Kind)
}

// request is what a worker says every few seconds, and when it wants games.
type request struct {
	Tiro    string `json:"tiro"`
	Session string `json:"session"` // of the worker process
	Backend string `json:"backend"`
	Workers int    `json:"workers"` // goroutines
	ID      string `json:"id"`      // announcement that it plays; empty: none
	Held    []int  `json:"held"`    // games that it plays or has still to send
	Sent    []int  `json:"sent"`    // games that it has sent since the last answer
	Want    int    `json:"want"`    // more games that it could play now
	Refused string `json:"refused"` // why it does not play the announcement

	// Since the process began.
	Evaluations int     `json:"evaluations"`
	CPUSeconds  float64 `json:"cpu_seconds"`
}

// reply answers a request.
type reply struct {
	ID      string `json:"id"`      // announcement that is being played; empty: none now
	Granted []int  `json:"granted"` // games that are now the worker's
	Share   int    `json:"share"`   // games that it is to have at a time
	Refused string `json:"refused"` // why it gets none, and never will
}

// decodeMessage reads a message of at most limit bytes.
func decodeMessage(data []byte, limit int, v any) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes; want at most %d", len(data), limit)
	}
	return format.DecodeStrict(data, v)
}
