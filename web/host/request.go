package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tiro/format"
)

// Request is a request of a page. The package comment lists the paths.
type Request struct {
	Post bool // whether it has a body, because it changes something or needs a search
	Path string
	Body []byte // JSON
}

// Body is the body of a request. Each path uses some of the fields.
type Body struct {
	Game   string   `json:"game"`
	Seats  []string `json:"seats"`
	Record string   `json:"record"`
	Ply    int      `json:"ply"`
	Move   string   `json:"move"`
	To     int      `json:"to"`
	Line   int      `json:"line"`
}

// Answer returns the answer to a request, to be sent as JSON. The page shows its error, which
// wraps ErrNoRequest for an unknown path.
func (h *Host) Answer(ctx context.Context, r Request) (any, error) {
	var q Body
	if r.Post {
		if err := json.Unmarshal(r.Body, &q); err != nil {
			return nil, format.Explain(err)
		}
	}
	switch path := strings.Split(r.Path, "/"); {
	case r.Path == "offer" && !r.Post:
		return h.options.Offers, nil
	case r.Path == "games" && r.Post:
		return h.begin(&q)
	case len(path) >= 2 && len(path) <= 4 && path[0] == "games":
		g, err := h.lock(path[1])
		if err != nil {
			return nil, err
		}
		defer g.mu.Unlock()
		return h.about(ctx, g, path[2:], r.Post, &q)
	}
	return nil, fmt.Errorf("%w: %.100q", ErrNoRequest, r.Path)
}

// changes are the requests that change a game.
var changes = map[string]func(*game, *Body) error{
	"play":   func(g *game, q *Body) error { return g.move(q.Move) },
	"undo":   func(g *game, _ *Body) error { return g.undo() },
	"back":   func(g *game, q *Body) error { return g.back(q.To) },
	"line":   func(g *game, q *Body) error { return g.change(q.Line) },
	"resign": func(g *game, _ *Body) error { return g.resign() },
}

// about answers a request about a game. g.mu must be held.
func (h *Host) about(ctx context.Context, g *game, path []string, post bool, q *Body) (any, error) {
	what := strings.Join(path, "/")
	ply, position := strings.CutPrefix(what, "positions/")
	switch {
	case what == "" && !post:
		return g.view(), nil
	case changes[what] != nil && post:
		if q.Ply != len(g.History) {
			return nil, ErrLate
		}
		return h.after(g, changes[what](g, q))
	case what == "hint" && post:
		return h.hint(ctx, g, q.Ply)
	case post:
	case position:
		n, err := strconv.Atoi(ply)
		if err != nil {
			return nil, fmt.Errorf("position must be a number of actions, not %.20q", ply)
		}
		return g.position(n)
	case what == "version":
		h.advance(g) // the game may just have been loaded from the store
		return g.version, nil
	case what == "record":
		return map[string]string{"record": string(g.Table.Record().PGN())}, nil
	case what == "sgf":
		text, err := g.Table.Record().SGF()
		return map[string]string{"sgf": string(text)}, err
	}
	return nil, fmt.Errorf("%w: %.100q of a game", ErrNoRequest, what)
}
