package web

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOtherSites: pages of other sites and unknown hosts are refused, and so is every request
// without the token if the server has one.
func TestOtherSites(t *testing.T) {
	o := optionsFor(t, t.TempDir(), "mnk")
	h := serve(t, o)
	ask := func(h *httptest.Server, path string, change func(*http.Request)) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+path, nil)
		require.NoError(t, err)
		change(r)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer
	}
	require.Equal(t, 200, ask(h, "/", func(*http.Request) {}).StatusCode)
	require.Equal(t, 200, ask(h, "/api/offer", func(r *http.Request) { r.Header.Set("Origin", h.URL) }).StatusCode)
	require.Equal(t, 403, ask(h, "/api/offer", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }).StatusCode)
	require.Equal(t, 403, ask(h, "/api/offer", func(r *http.Request) { r.Header.Set("Origin", "null") }).StatusCode)
	require.Equal(t, 403, ask(h, "/api/offer", func(r *http.Request) { r.Host = "evil.example" }).StatusCode)
	require.Equal(t, 403, ask(h, "/api/offer", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }).StatusCode)
	require.Equal(t, 404, ask(h, "/../server.go", func(*http.Request) {}).StatusCode)

	require.Equal(t, 404, ask(h, "/%F0%28%8C%28", func(*http.Request) {}).StatusCode)

	// A proxy may use another port and TLS. Other servers on this machine count as other sites.
	o.Proxies = []string{"tiro.example"}
	h = serve(t, o)
	require.Equal(t, 200, ask(h, "/api/offer", func(r *http.Request) {
		r.Host = "tiro.example"
		r.Header.Set("Origin", "https://tiro.example")
	}).StatusCode)
	require.Equal(t, 403, ask(h, "/api/offer", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }).StatusCode)

	o.Token = "secret"
	h = serve(t, o)
	require.Equal(t, 403, ask(h, "/", func(*http.Request) {}).StatusCode)
	require.Equal(t, 403, ask(h, "/?token=wrong", func(*http.Request) {}).StatusCode)
	let := ask(h, "/?token=secret", func(*http.Request) {})
	require.Equal(t, 200, let.StatusCode)
	require.Equal(t, 200, ask(h, "/api/offer", func(r *http.Request) { r.AddCookie(let.Cookies()[0]) }).StatusCode)
	second := ask(serve(t, o), "/?token=secret", func(*http.Request) {})
	require.NotEqual(t, let.Cookies()[0].Name, second.Cookies()[0].Name, "a cookie belongs to one server")
}

// TestBehindProxy: the server works below a base path, sends cookies for that path, over TLS
// only if the browser uses it, accepts the token as a header, and reports its health without.
func TestBehindProxy(t *testing.T) {
	o := optionsFor(t, t.TempDir(), "mnk")
	o.Base, o.Token, o.Proxies, o.Runs = "/tiro/", "secret", []string{"tiro.example"}, []string{t.TempDir()}
	s, err := New(o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	ask := func(path, host string, headers ...string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = host
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Result()
	}
	require.Equal(t, 200, ask("/healthz", "10.1.2.3:80").StatusCode)
	require.Equal(t, 403, ask("/tiro/", "tiro.example").StatusCode)
	require.Equal(t, 404, ask("/", "tiro.example", "Authorization", "Bearer secret").StatusCode)
	require.Equal(t, "/tiro/?token=secret", ask("/tiro?token=secret", "tiro.example").Header.Get("Location"))
	for _, path := range []string{"/tiro/", "/tiro/app.js", "/tiro/watch", "/tiro/api/offer", "/tiro/api/runs", "/tiro/metrics"} {
		require.Equal(t, 200, ask(path, "tiro.example", "Authorization", "Bearer secret", "Origin", "https://tiro.example").StatusCode, path)
		require.Equal(t, 403, ask(path, "tiro.example", "Authorization", "Bearer public").StatusCode, path)
	}
	for host, secure := range map[string]bool{"TIRO.example": true, "127.0.0.1:80": false} { // only a proxy's header is read
		cookie := ask("/tiro/?token=secret", host, "X-Forwarded-Proto", "https").Cookies()[0]
		require.Equal(t, secure, cookie.Secure)
		require.Equal(t, "/tiro/", cookie.Path)
	}
	for _, base := range []string{"tiro", "/tiro", "/../", "//"} {
		o.Base = base
		_, err := New(o)
		require.ErrorContains(t, err, base)
	}
}

// TestTLS: with a certificate, the server answers by TLS, and a renewed certificate is used at
// once. An unusable one is an error.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	o := optionsFor(t, dir, "mnk")
	o.Certificate, o.Key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write := func(serial int64) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		require.NoError(t, err)
		private, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(o.Certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
		require.NoError(t, os.WriteFile(o.Key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	}
	_, err := New(o)
	require.ErrorIs(t, err, fs.ErrNotExist)

	write(1)
	address, cancel, done := listen(t, o)
	for serial := int64(1); serial <= 2; serial++ {
		if serial > 1 { // the server may still be reading the first certificate
			write(serial)
		}
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		r, err := client.Get("https://" + address + "/api/offer")
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, 200, r.StatusCode)
		require.EqualValues(t, serial, r.TLS.PeerCertificates[0].SerialNumber.Int64())
		client.CloseIdleConnections()
	}
	cancel()
	require.NoError(t, <-done)
}

// listen serves at address until cancel is called. The error of Serve follows on done.
func listen(t *testing.T, o Options) (address string, cancel func(), done <-chan error) {
	s, err := New(o)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	return listener.Addr().String(), cancel, ended
}

// TestServeEnds: Serve ends only after the answers under way.
func TestServeEnds(t *testing.T) {
	address, cancel, done := listen(t, optionsFor(t, t.TempDir(), "mnk"))
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
	require.NoError(t, err)
	answers := bufio.NewReader(c)
	first, err := answers.ReadString('\n') // sent when the body is read
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", first)
	cancel()
	select {
	case <-done:
		t.Fatal("Serve ended without the answer")
	case <-time.After(100 * time.Millisecond):
	}
	_, err = io.WriteString(c, "{}")
	require.NoError(t, err)
	rest, err := io.ReadAll(answers)
	require.NoError(t, err)
	require.Contains(t, string(rest), "HTTP/1.1 400 Bad Request\r\n")
	require.NoError(t, <-done)
}
