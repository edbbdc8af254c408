// Package sse sends server-sent events, as the WHATWG's HTML standard has them.
package sse

import (
	"net/http"
	"strings"
	"time"
)

// patience is how long a browser may take to read an event.
const patience = 10 * time.Second

// Send sends an event for each value of changes: text of it. It returns when the browser
// is gone or reads too slowly, or when done is closed. With a channel that holds one value
// a browser that reads slowly costs no memory, and with a text of the newest state it
// misses nothing but what has been overtaken.
func Send[T any](w http.ResponseWriter, r *http.Request, done <-chan struct{}, changes <-chan T, text func(T) string) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // that of a request would end the events
	for {
		select {
		case change := <-changes:
			_ = out.SetWriteDeadline(time.Now().Add(patience))
			if _, err := w.Write([]byte("data: " + strings.ReplaceAll(text(change), "\n", "\ndata: ") + "\n\n")); err != nil {
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
