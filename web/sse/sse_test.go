package sse

import (
	"context"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// connection is one to a browser that reads so many events, and then none.
type connection struct {
	*httptest.ResponseRecorder
	reads    int
	deadline time.Time // of the next write
}

func (c *connection) SetReadDeadline(time.Time) error { return nil }

func (c *connection) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *connection) Write(p []byte) (int, error) {
	if c.reads == 0 {
		if c.deadline.IsZero() {
			select {} // what a browser that does not read would do without a deadline
		}
		return 0, os.ErrDeadlineExceeded
	}
	c.reads--
	return c.ResponseRecorder.Write(p)
}

// TestSend: each change is an event, and the end of the request, of the server and of a
// browser's patience with reading are the end.
func TestSend(t *testing.T) {
	for _, end := range []string{"request", "server", "slow"} {
		t.Run(end, func(t *testing.T) {
			c := &connection{ResponseRecorder: httptest.NewRecorder(), reads: 2}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done, changes := make(chan struct{}), make(chan int, 3)
			for n := range 3 {
				changes <- n
			}
			text := func(n int) string {
				switch {
				case n < 2:
				case end == "request":
					cancel()
				case end == "server":
					close(done)
				}
				return "a\nb" + strconv.Itoa(n)
			}
			if end != "slow" {
				c.reads = 3
			}
			Send(c, httptest.NewRequest("GET", "/", nil).WithContext(ctx), done, changes, text)
			want := "data: a\ndata: b0\n\ndata: a\ndata: b1\n\n"
			if end != "slow" {
				want += "data: a\ndata: b2\n\n"
			}
			require.Equal(t, want, c.Body.String())
			require.Equal(t, "text/event-stream", c.Header().Get("Content-Type"))
			require.True(t, c.Flushed)
		})
	}
}
