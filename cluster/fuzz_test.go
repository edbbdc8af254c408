package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/env"
	"tiro/env/games"
	"tiro/selfplay"
	"tiro/train"
)

// FuzzMessages: no message makes a worker or a trainer panic, and what is taken for
// start positions and announcements can be played.
func FuzzMessages(f *testing.F) {
	game, err := games.New("mnk")
	require.NoError(f, err)
	job := selfplay.Job{Game: game, Config: selfplay.Default(), Seed: 1, Generation: 1, Games: 4, Workers: 1}
	g := train.Games{Job: job, Header: selfplay.NewHeader(game.Spec(), 1, 1, "net"), Backend: "go"}
	a, err := newAnnouncement(&g, "v1", RulesDigest(game), 1000)
	require.NoError(f, err)
	text, _, err := a.encode()
	require.NoError(f, err)
	_, err = parseAnnouncement(text, "v1", games.New)
	require.NoError(f, err)
	f.Add(text)
	starts, digest, err := encodeStarts([][]env.Action{{0, 4}, {}})
	require.NoError(f, err)
	_, err = decodeStarts(game, starts, digest)
	require.NoError(f, err)
	f.Add(starts)
	f.Add([]byte(`{"format":1,"what":"tiro lease request","held":[1],"sent":[],"want":3}`))
	f.Add([]byte(`{"format":1,"what":"tiro lease reply","id":"x","granted":[1],"share":3}`))
	played := generation{games: g, offer: offer{game: game}}
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := parseAnnouncement(data, "v1", games.New); err == nil {
			require.NoError(t, o.job.Validate())
		}
		if all, err := decodeStarts(game, data, startsDigest(data)); err == nil {
			for _, actions := range all {
				_, over := env.After(game, game.New(), actions...).Result()
				require.False(t, over)
			}
		}
		_ = decodeMessage(data, maxRequest, requestHeader, new(request))
		_ = decodeMessage(data, maxRequest, replyHeader, new(reply))
		if e, err := played.read(data); err == nil {
			require.NoError(t, played.games.Job.Check(&e))
		}
	})
}
