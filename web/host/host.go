package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"tiro/env"
	"tiro/play"
)

// Errors of requests.
var (
	ErrUnknown   = errors.New("no such game")
	ErrNoRequest = errors.New("no such request")
	ErrLate      = errors.New("the game has changed meanwhile")
	ErrFull      = errors.New("too many games are in use or cannot be saved; try again later")
)

// Host holds games. It is safe for concurrent use. At most Options.MaxGames are in memory. A
// new game evicts the least recently used one, whose players stop thinking until it is
// requested again. If no game can be evicted, the request gets ErrFull.
type Host struct {
	options  Options
	searches chan struct{}
	closing  context.Context
	close    context.CancelFunc
	running  sync.WaitGroup

	mu    sync.Mutex
	games map[string]*game
	used  map[string]int // by game: number of the last request
	looks int
}

// New returns a host. The caller must close it.
func New(o Options) (*Host, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	h := &Host{options: o, searches: make(chan struct{}, o.Searches), games: map[string]*game{}, used: map[string]int{}}
	h.closing, h.close = context.WithCancel(context.Background())
	return h, nil
}

// Close stops all searches and waits for them. Games stay in the store.
func (h *Host) Close() {
	h.close()
	h.running.Wait()
}

func (h *Host) begin(q *Body) (any, error) {
	g, err := h.create(q)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	h.mu.Lock()
	err = h.admit(g)
	h.mu.Unlock()
	return h.after(g, err)
}

// create returns a new game, or the game of a record, which continues after a resignation.
func (h *Host) create(q *Body) (*game, error) {
	id := h.options.NewID()
	if q.Record == "" {
		offer, rules, err := h.offered(q.Game)
		if err != nil {
			return nil, err
		}
		return newGame(id, offer, rules, q.Seats, (*Offer).has)
	}
	g, _, err := h.read(id, []byte(q.Record), func(t *play.Table) []string {
		if len(q.Seats) > 0 {
			return q.Seats
		}
		return slices.Repeat([]string{Human}, t.Rules.Spec().Players)
	}, (*Offer).has)
	return g, err
}

// read returns the game of a record with the given seats, and the table of the record.
func (h *Host) read(id string, data []byte, seats func(*play.Table) []string, offers func(*Offer, string) bool) (*game, *play.Table, error) {
	name, ok := play.RecordGame(data)
	if !ok {
		return nil, nil, errors.New("this is not a saved Tiro game")
	}
	offer, rules, err := h.offered(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := play.ReadRecord(rules, data)
	if err != nil {
		return nil, nil, fmt.Errorf("the record: %w", err)
	}
	t := r.Table()
	g, err := newGame(id, offer, rules, seats(t), offers)
	switch {
	case err != nil:
		return nil, nil, err
	case t.States[0].Hash() != g.State().Hash():
		return nil, nil, errors.New("the record does not begin at the start position")
	case len(r.Lines) > maxLines:
		return nil, nil, fmt.Errorf("%d lines, more than the maximum of %d", len(r.Lines), maxLines)
	}
	g.add(t.History...)
	g.lines = r.Lines
	return g, t, nil
}

// errNotOffered ends the error for a game or a player that is not among the offers.
var errNotOffered = errors.New("not offered")

// offered returns an offered game.
func (h *Host) offered(name string) (*Offer, env.Game, error) {
	i := slices.IndexFunc(h.options.Offers, func(o Offer) bool { return o.Game == name })
	if i < 0 {
		return nil, nil, fmt.Errorf("game %.100q is %w", name, errNotOffered)
	}
	rules, err := h.options.Find(name)
	return &h.options.Offers[i], rules, err
}

// after completes a change of a game: it saves the game and lets the players continue. g.mu
// must be held.
func (h *Host) after(g *game, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	h.keep(g)
	g.version++
	h.advance(g)
	return g.view(), nil
}

// keep saves a game. If that fails, the page shows the error, and the game continues. g.mu
// must be held.
func (h *Host) keep(g *game) {
	g.unsaved = ""
	if err := h.options.Store.Save(g.id, g.Table.Record(g.lines...).PGN()); err != nil {
		g.unsaved = fmt.Sprintf("the game is not saved: %v", err)
	}
}

// lock returns a game with its mutex locked. If the game is evicted before it is locked, lock
// looks it up again, so that two copies of a game never change.
func (h *Host) lock(id string) (*game, error) {
	for {
		g, err := h.find(id)
		if err != nil {
			return nil, err
		}
		g.mu.Lock()
		if !g.evicted {
			return g, nil
		}
		g.mu.Unlock()
	}
}

func (h *Host) find(id string) (*game, error) {
	if !ValidID(id) {
		return nil, ErrUnknown
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g, ok := h.games[id]; ok {
		h.look(id)
		return g, nil
	}
	g, err := h.load(id)
	if err != nil {
		return nil, err
	}
	return g, h.admit(g)
}

func (h *Host) load(id string) (*game, error) {
	data, err := h.options.Store.Load(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	g, t, err := h.read(id, data, func(t *play.Table) []string { return t.Seats }, (*Offer).had)
	if err == nil {
		if _, resigned := t.Resigned(); resigned {
			err = g.Resign()
		}
	}
	if errors.Is(err, errNotOffered) {
		return nil, fmt.Errorf("game %s cannot continue here: %w", id, err)
	}
	if err != nil {
		return nil, fmt.Errorf("game %s is damaged: %w", id, err)
	}
	return g, nil
}

// look records a request for a game. h.mu must be held.
func (h *Host) look(id string) {
	h.looks++
	h.used[id] = h.looks
}

// admit puts a game into memory. If there are too many, it evicts the least recently used
// one, or returns ErrFull if none can be evicted. h.mu must be held.
func (h *Host) admit(g *game) error {
	if len(h.games) >= h.options.MaxGames && !h.makeRoom() {
		return ErrFull
	}
	h.games[g.id] = g
	h.look(g.id)
	return nil
}

// makeRoom removes a game from memory and reports whether it could. h.mu must be held.
func (h *Host) makeRoom() bool {
	byLook := slices.SortedFunc(maps.Keys(h.games), func(a, b string) int { return cmp.Compare(h.used[a], h.used[b]) })
	for _, wait := range []bool{false, true} { // the second time, wait for games in use
		for _, id := range byLook {
			if h.evict(h.games[id], wait) {
				delete(h.games, id)
				delete(h.used, id)
				return true
			}
		}
	}
	return false
}

// evict marks a saved game as evicted and stops its players. Unless wait is set, it fails if
// the game is locked. h.mu must be held. There is no deadlock, because the holder of a game's
// lock never waits for h.mu while the game is in memory.
func (h *Host) evict(g *game, wait bool) bool {
	if wait {
		g.mu.Lock()
	} else if !g.mu.TryLock() {
		return false
	}
	defer g.mu.Unlock()
	if g.unsaved != "" {
		h.keep(g)
	}
	g.evicted = g.unsaved == ""
	if g.evicted && g.busy {
		g.stop()
	}
	return g.evicted
}

// ValidID reports whether id may identify a game, and may therefore be part of a file name.
func ValidID(id string) bool {
	return len(id) >= 8 && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
