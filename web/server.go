package web

import (
	"cmp"
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tiro/study/chart"
	"tiro/train/telemetry"
	"tiro/web/host"
	"tiro/web/watch"
)

//go:embed assets
var assets embed.FS

// maxBody is the maximum size of a request, in bytes.
const maxBody = 1 << 20

// watchEvery is the minimum interval between readings of a watched run.
const watchEvery = time.Second

// Server answers the requests of browsers. It is safe for concurrent use.
type Server struct {
	options Options
	mux     *http.ServeMux
	host    *host.Host
	runs    *watch.Watcher
}

// New returns a server. The caller must close it.
func New(o Options) (*Server, error) {
	games := folder{o.Disk, o.Dir}
	o.Store = games
	h, err := host.New(o.Options)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if err := games.prepare(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	o.Base = cmp.Or(o.Base, "/")
	if !strings.HasPrefix(o.Base, "/") || !strings.HasSuffix(o.Base, "/") || o.Base != "/" && path.Clean(o.Base)+"/" != o.Base || strings.HasPrefix(o.Base, "//") {
		return nil, fmt.Errorf("web: the base path must begin and end with a slash, as in /tiro/, not %q", o.Base)
	}
	if o.Certificate != "" {
		if _, err := o.certificate(nil); err != nil {
			return nil, fmt.Errorf("web: certificate: %w", err)
		}
	}
	s := &Server{options: o, mux: http.NewServeMux(), host: h}
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	s.mux.Handle("GET /", http.FileServerFS(files))
	s.mux.HandleFunc("GET /api/{path...}", s.answer)
	s.mux.HandleFunc("POST /api/{path...}", s.answer)
	s.runs = watch.New(watch.Options{Disk: o.Disk, Find: o.Find, Paths: o.Runs, Every: watchEvery, Now: time.Now})
	s.mux.Handle("GET /api/runs", s.runs)
	s.mux.Handle("GET /api/runs/", s.runs)
	s.mux.HandleFunc("GET /watch", func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, files, "watch.html") })
	s.mux.Handle("GET /metrics", telemetry.Prometheus(s.runs.Newest))
	s.mux.HandleFunc("GET /chart.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = io.WriteString(w, chart.Style)
	})
	return s, nil
}

// Close stops all searches and waits for them. Games stay in their files.
func (s *Server) Close() { s.host.Close() }

// HealthPath is the path at which a Server answers "ok" to everybody.
const HealthPath = "/healthz"

// ServeHTTP refuses requests of other sites and those without the token, and answers
// the others.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if r.URL.Path == HealthPath {
		_, _ = io.WriteString(w, "ok\n")
		return
	}
	if err := s.admitted(w, r); err != nil {
		refuse(w, http.StatusForbidden, err)
		return
	}
	base := s.options.Base
	if r.URL.Path+"/" == base {
		to := url.URL{Path: base, RawQuery: r.URL.RawQuery}
		http.Redirect(w, r, to.String(), http.StatusMovedPermanently)
		return
	}
	if !utf8.ValidString(r.URL.Path) || !strings.HasPrefix(r.URL.Path, base) {
		refuse(w, http.StatusNotFound, errors.New("unknown path"))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	http.StripPrefix(strings.TrimSuffix(base, "/"), s.mux).ServeHTTP(w, r)
}

// admitted returns an error if a request is to be refused.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request) error {
	if name := hostOnly(r.Host); !slices.Contains(s.options.Hosts, name) && !slices.Contains(s.options.Proxies, name) {
		return fmt.Errorf("host %.100q is not served", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host != r.Host && !slices.Contains(s.options.Proxies, u.Hostname()) {
			return errors.New("a request from another site")
		}
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.URL.Path != s.options.Base {
		return errors.New("a request from another site")
	}
	if s.options.Token == "" {
		return nil
	}
	same := func(given string) bool {
		return subtle.ConstantTimeCompare([]byte(given), []byte(s.options.Token)) == 1
	}
	if c, err := r.Cookie(cookieName(r)); err == nil && same(c.Value) {
		return nil
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && same(bearer) {
		return nil
	}
	if same(r.URL.Query().Get("token")) {
		http.SetCookie(w, &http.Cookie{
			Name: cookieName(r), Value: s.options.Token, Path: s.options.Base, HttpOnly: true, Secure: s.secure(r), SameSite: http.SameSiteStrictMode,
		})
		return nil
	}
	return errors.New("the token is missing; open the address that tiro serve printed")
}

// secure reports whether the browser sent the request by TLS. The header of a proxy is used
// for its own host names only; no other forwarded header is read.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" && slices.Contains(s.options.Proxies, hostOnly(r.Host))
}

// cookieName returns the name of the token's cookie. Browsers send cookies to all ports of a
// host, so the name includes the port of the request.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "tiro-" + port
}

// hostOnly returns a host without its port, in lower case.
func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]")) // of IPv6
}

// answer answers a request with the host.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	q := host.Request{Post: r.Method == http.MethodPost, Path: r.PathValue("path")}
	var answer any
	body, err := read(r)
	if err == nil {
		q.Body = body
		answer, err = s.host.Answer(r.Context(), q)
	}
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// read reads the body of a request.
func read(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, nil
	}
	given := r.Header.Get("Content-Type")
	if t, _, err := mime.ParseMediaType(given); err != nil || t != "application/json" {
		return nil, fmt.Errorf("content type must be application/json, not %.100q", given)
	}
	return io.ReadAll(r.Body)
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, host.ErrUnknown), errors.Is(err, host.ErrNoRequest):
		return http.StatusNotFound
	case errors.Is(err, host.ErrLate):
		return http.StatusConflict
	case tooLarge:
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, context.Canceled), errors.Is(err, host.ErrFull):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}
