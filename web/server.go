package web

import (
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"tiro/disk"
	"tiro/play"
)

//go:embed assets
var assets embed.FS

// Bounds on what a request may be and take.
const (
	maxBody     = 1 << 20
	maxWatchers = 1000 // of one game
	cookieName  = "tiro"
)

// Server answers the requests of browsers. It is safe for concurrent use.
type Server struct {
	options  Options
	mux      *http.ServeMux
	searches chan struct{}
	closing  context.Context
	close    context.CancelFunc
	running  sync.WaitGroup

	mu    sync.Mutex
	games map[string]*game
	used  map[string]time.Time // when a game was last looked at
}

// New returns a server. Close ends what it has begun.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(o.Disk, o.Dir); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s := &Server{options: o, mux: http.NewServeMux(), searches: make(chan struct{}, o.Searches), games: map[string]*game{}, used: map[string]time.Time{}}
	s.closing, s.close = context.WithCancel(context.Background())
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	s.mux.Handle("GET /", http.FileServerFS(files))
	s.mux.HandleFunc("GET /api/offer", func(w http.ResponseWriter, _ *http.Request) { write(w, o.Offers) })
	s.mux.HandleFunc("POST /api/games", s.begin)
	s.mux.HandleFunc("GET /api/games/{id}", s.with(func(_ *http.Request, g *game, _ *request) (any, error) { return g.view(), nil }))
	s.mux.HandleFunc("POST /api/games/{id}/play", s.with(func(_ *http.Request, g *game, q *request) (any, error) {
		return s.after(g, g.play(q.Ply, q.Move))
	}))
	s.mux.HandleFunc("POST /api/games/{id}/undo", s.with(func(_ *http.Request, g *game, q *request) (any, error) { return s.after(g, g.undo(q.Ply)) }))
	s.mux.HandleFunc("POST /api/games/{id}/resign", s.with(func(_ *http.Request, g *game, q *request) (any, error) { return s.after(g, g.resign(q.Ply)) }))
	s.mux.HandleFunc("POST /api/games/{id}/hint", s.with(s.hint))
	s.mux.HandleFunc("GET /api/games/{id}/record", s.record)
	s.mux.HandleFunc("GET /api/games/{id}/events", s.events)
	return s, nil
}

// Close stops all searches and waits for them. Games stay in their files.
func (s *Server) Close() {
	s.close()
	s.running.Wait()
}

// ServeHTTP refuses requests of other sites and those without the token, and answers
// the others.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if err := s.admitted(w, r); err != nil {
		refuse(w, http.StatusForbidden, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
}

// admitted returns why a request is refused.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) error {
	if !slices.Contains(s.options.Hosts, hostOnly(r.Host)) {
		return fmt.Errorf("host %q is not served", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host {
			return errors.New("a request from another site")
		}
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.URL.Path != "/" {
		return errors.New("a request from another site")
	}
	if s.options.Token == "" {
		return nil
	}
	same := func(given string) bool {
		return subtle.ConstantTimeCompare([]byte(given), []byte(s.options.Token)) == 1
	}
	if c, err := r.Cookie(cookieName); err == nil && same(c.Value) {
		return nil
	}
	if same(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.options.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		return nil
	}
	return errors.New("the token is missing; open the address that tiro serve has printed")
}

// hostOnly returns a host without its port.
func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// request is what a browser sends.
type request struct {
	Game   string   `json:"game"`
	Seats  []string `json:"seats"`
	Record string   `json:"record"`
	Ply    int      `json:"ply"`
	Move   string   `json:"move"`
}

// read reads the body of a request.
func read(r *http.Request) (q request, err error) {
	if r.Method != http.MethodPost {
		return q, nil
	}
	if t := r.Header.Get("Content-Type"); t != "application/json" {
		return q, fmt.Errorf("content type %q; want application/json", t)
	}
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	return q, err
}

// with returns the handler of requests about a game. While do runs, the game is
// locked.
func (s *Server) with(do func(*http.Request, *game, *request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := read(r)
		if err != nil {
			refuse(w, statusOf(err), err)
			return
		}
		g, err := s.find(r.PathValue("id"))
		if err != nil {
			refuse(w, statusOf(err), err)
			return
		}
		g.mu.Lock()
		answer, err := do(r, g, &q)
		g.mu.Unlock()
		if err != nil {
			refuse(w, statusOf(err), err)
			return
		}
		write(w, answer)
	}
}

// after ends a change of a game: it is kept, shown and gone on with. g.mu must be
// held.
func (s *Server) after(g *game, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	s.keep(g)
	g.changed()
	s.advance(g)
	return g.view(), nil
}

// begin begins or loads a game.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) {
	q, err := read(r)
	var g *game
	if err == nil {
		g, err = s.create(&q)
	}
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	s.mu.Lock()
	s.admit(g)
	s.mu.Unlock()
	g.mu.Lock()
	answer, err := s.after(g, nil)
	g.mu.Unlock()
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	write(w, answer)
}

// create returns a new game, or that of a record.
func (s *Server) create(q *request) (*game, error) {
	if q.Record == "" {
		return s.newGame(s.options.NewID(), q.Game, q.Seats)
	}
	name, ok := play.RecordGame([]byte(q.Record))
	if !ok {
		return nil, errors.New("this is no game that was saved by tiro")
	}
	seats := q.Seats
	if len(seats) == 0 {
		for _, o := range s.options.Offers {
			if o.Game == name {
				seats = slices.Repeat([]string{Human}, len(o.Seats))
			}
		}
	}
	g, err := s.newGame(s.options.NewID(), name, seats)
	if err != nil {
		return nil, err
	}
	start, history, err := play.ReadRecord(g.rules, []byte(q.Record))
	if err != nil {
		return nil, fmt.Errorf("the record: %w", err)
	}
	if start.Hash() != g.state().Hash() {
		return nil, errors.New("the record begins at a position of its own; want one from the start of the game")
	}
	for _, a := range history {
		g.add(a)
	}
	return g, nil
}

// newGame returns a game of an offer.
func (s *Server) newGame(id, name string, seats []string) (*game, error) {
	for i := range s.options.Offers {
		if o := &s.options.Offers[i]; o.Game == name {
			rules, err := s.options.Find(name)
			if err != nil {
				return nil, err
			}
			return newGame(id, o, rules, seats)
		}
	}
	return nil, fmt.Errorf("game %q is not offered", name)
}

// record writes the game as text.
func (s *Server) record(w http.ResponseWriter, r *http.Request) {
	g, err := s.find(r.PathValue("id"))
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	g.mu.Lock()
	text := g.record()
	g.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="game.tiro"`)
	_, _ = w.Write(text)
}

// events sends an event whenever the game has changed. Its data is the number of the
// change; a browser that reads slowly misses some, but not the last.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	g, err := s.find(r.PathValue("id"))
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	watcher := make(chan int, 1)
	g.mu.Lock()
	full := len(g.watchers) >= maxWatchers
	if !full {
		g.watchers[watcher] = true
		watcher <- g.version
		s.advance(g)
	}
	g.mu.Unlock()
	if full {
		refuse(w, http.StatusServiceUnavailable, errors.New("too many watch this game"))
		return
	}
	defer func() {
		g.mu.Lock()
		delete(g.watchers, watcher)
		g.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // that of a request would end the events
	for {
		select {
		case version := <-watcher:
			_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err := fmt.Fprintf(w, "data: %d\n\n", version); err != nil {
				return
			}
			if err := out.Flush(); err != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.closing.Done():
			return
		}
	}
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.Is(err, errUnknown):
		return http.StatusNotFound
	case errors.Is(err, errLate):
		return http.StatusConflict
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// validID reports whether id may be that of a game, and so part of the name of a file.
func validID(id string) bool {
	if len(id) < 8 || len(id) > 64 {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
