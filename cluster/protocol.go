package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml"

	"tiro/configs"
	"tiro/env"
	"tiro/format"
	"tiro/selfplay"
	"tiro/train"
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
	maxAnnouncement = 64 << 10
	maxRequest      = 256 << 10
	maxWeights      = 4 << 30
)

var (
	announcementHeader = format.Header{Format: 1, What: "tiro announcement"}
	requestHeader      = format.Header{Format: 1, What: "tiro lease request"}
	replyHeader        = format.Header{Format: 1, What: "tiro lease reply"}
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

// announcement says what is to be played: all that the games of a generation depend
// on. The same generation of a run has the same announcement, whoever announces it.
type announcement struct {
	format.Header
	Tiro       string  `json:"tiro"`        // version of the program
	Game       string  `json:"game"`        // canonical game string
	Rules      string  `json:"rules"`       // RulesDigest of the game
	Seed       uint64  `json:"seed"`        // of the run
	Generation int     `json:"generation"`  //
	Games      int     `json:"games"`       // of the generation
	Threshold  float64 `json:"threshold"`   // of resignation
	Selfplay   string  `json:"selfplay"`    // selfplay.Config as YAML
	Net        string  `json:"net"`         // fingerprint of the weights, which names their object
	Starts     string  `json:"starts"`      // digest of the start positions, which names their object; empty: none
	Backend    string  `json:"backend"`     // that the run computes networks on
	LeaseMilli int64   `json:"lease_milli"` // how long a worker may be silent before others play its games
}

// newAnnouncement returns the announcement of games.
func newAnnouncement(games *train.Games, version, rules string, leaseMilli int64) (announcement, error) {
	text, err := yaml.Marshal(games.Job.Config)
	if err != nil {
		return announcement{}, err
	}
	_, starts, err := encodeStarts(games.Job.Starts)
	return announcement{
		Header: announcementHeader, Tiro: version, Game: games.Header.Game, Rules: rules,
		Seed: games.Job.Seed, Generation: games.Job.Generation, Games: games.Job.Games,
		Threshold: games.Job.ResignThreshold, Selfplay: string(text), Net: games.Header.Net,
		Starts: starts, Backend: games.Backend, LeaseMilli: leaseMilli,
	}, err
}

// encode returns the message and its ID, by which games name it: a digest.
func (a *announcement) encode() (data []byte, id string, err error) {
	data, err = json.Marshal(a)
	return data, announcementID(data), err
}

func announcementID(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}

// offer is an announcement as a worker has understood it.
type offer struct {
	announcement
	id   string
	game env.Game
	job  selfplay.Job // without evaluator and functions
}

// errRefused is wrapped by errors about announcements that this program will not
// play, whatever else happens.
var errRefused = errors.New("refused")

// parseAnnouncement reads an announcement for a program of that version.
func parseAnnouncement(data []byte, version string, find env.Lookup) (offer, error) {
	o := offer{id: announcementID(data)}
	if len(data) > maxAnnouncement {
		return o, fmt.Errorf("%w: the announcement has %d bytes; want at most %d", errRefused, len(data), maxAnnouncement)
	}
	if err := o.read(data, version, find); err != nil {
		return o, fmt.Errorf("%w: %w", errRefused, err)
	}
	return o, nil
}

func (o *offer) read(data []byte, version string, find env.Lookup) (err error) {
	a := &o.announcement
	if err := format.CheckJSON(data, announcementHeader); err != nil {
		return fmt.Errorf("the announcement: %w", err)
	}
	// The version comes first: another one may announce fields that are not known here.
	var other struct{ Tiro string }
	if err := json.Unmarshal(data, &other); err != nil {
		return fmt.Errorf("the announcement: %w", err)
	}
	if other.Tiro != version {
		return fmt.Errorf("the trainer is tiro %.60q, this is %q; want the same version", other.Tiro, version)
	}
	if err := format.DecodeStrict(data, a); err != nil {
		return fmt.Errorf("the announcement: %w", err)
	}
	if o.game, err = find(a.Game); err != nil {
		return fmt.Errorf("game: %w", err)
	}
	if own := RulesDigest(o.game); own != a.Rules {
		return fmt.Errorf("rules or planes of %s differ: their digest is %q there and %q here", a.Game, a.Rules, own)
	}
	doc, err := configs.Parse("selfplay", []byte(a.Selfplay))
	config := selfplay.Default()
	if err == nil {
		err = doc.Decode(&config)
	}
	if err != nil {
		return err
	}
	o.job = selfplay.Job{Game: o.game, Config: config, Seed: a.Seed, Generation: a.Generation, Games: a.Games, Workers: 1, ResignThreshold: a.Threshold}
	if a.LeaseMilli < 1 {
		return fmt.Errorf("lease_milli is %d; want 1 or more", a.LeaseMilli)
	}
	return o.job.Validate()
}

// episodeHeader returns the header of the episode messages of an offer.
func (o *offer) episodeHeader() selfplay.Header {
	return selfplay.NewHeader(o.game.Spec(), o.Seed, o.Generation, o.Net)
}

// request is what a worker says every few seconds, and when it wants games.
type request struct {
	format.Header
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
	format.Header
	ID      string `json:"id"`      // announcement that is being played; empty: none now
	Granted []int  `json:"granted"` // games that are now the worker's
	Share   int    `json:"share"`   // games that it is to have at a time
	Refused string `json:"refused"` // why it gets none, and never will
}

// decodeMessage reads a message with a header.
func decodeMessage(data []byte, limit int, want format.Header, v any) error {
	if len(data) > limit {
		return fmt.Errorf("%d bytes; want at most %d", len(data), limit)
	}
	return format.DecodeJSON(data, want, v)
}
