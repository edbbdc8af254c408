package selfplay_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/selfplay"
)

// TestAppendSideBySide: all games appended by several goroutines are stored.
func TestAppendSideBySide(t *testing.T) {
	job := newJob(newGame(t, "mnk"))
	episodes := play(t, job)
	var b bytes.Buffer
	require.NoError(t, selfplay.Write(&b, selfplay.NewHeader(job.Game.Spec(), 7, 3, "test"), nil))
	a := selfplay.NewAppender(&b)
	var wait sync.WaitGroup
	for _, e := range episodes {
		wait.Go(func() { _ = a.Append(encode(t, e)) })
	}
	wait.Wait()
	_, got, err := selfplay.Read(&b, env.Variants(job.Game, nil))
	require.NoError(t, err)
	require.ElementsMatch(t, episodes, got)
	want, err := selfplay.EncodeAll(episodes)
	require.NoError(t, err)
	require.Equal(t, want, a.Games())
}

func encode(t testing.TB, e selfplay.Episode) selfplay.Encoded {
	encoded, err := selfplay.Encode(&e)
	require.NoError(t, err)
	return encoded
}
