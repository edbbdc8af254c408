// Package sse sends server-sent events, as the WHATWG's HTML standard has them.
package sse

import (
	"net/http"
	"strings"
	"time"
)

// patience is how long a browser may take to read an event.
const patience = 10 * time.Second

// Send sends a text as an event each time that there is something in changed, the newest
// that text returns then. It returns when the browser is gone or reads too slowly, or
// when done is closed. A browser that reads slowly misses texts, but not the last.
func Send(w http.ResponseWriter, r *http.Request, done <-chan struct{}, changed <-chan struct{}, text func() string) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // that of a request would end the events
	for {
		select {
		case <-changed:
			_ = out.SetWriteDeadline(time.Now().Add(patience))
			if _, err := w.Write([]byte("data: " + strings.ReplaceAll(text(), "\n", "\ndata: ") + "\n\n")); err != nil {
				return
			}
			if out.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-done:
			return
		}
	}
}
