package leaks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLeft: a goroutine that waits is left behind, unless it is ignored or ends in time.
func TestLeft(t *testing.T) {
	require.Empty(t, left(nil))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		<-stop
	}()
	defer func(d time.Duration) { patience = d }(patience)
	patience = 0
	require.Contains(t, left(nil), "leaks.TestLeft.func")
	require.Empty(t, left([]string{"leaks.TestLeft.func"}))
	patience = time.Minute
	time.AfterFunc(50*time.Millisecond, func() { close(stop) })
	require.Empty(t, left(nil))
	<-stopped
}
