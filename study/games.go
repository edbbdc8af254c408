package study

import (
	"bytes"
	"fmt"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/play"
	"tiro/selfplay"
)

// ReadGames parses the games of a file: PGN, SGF, games of matches, or an episode file.
func ReadGames(data []byte, find env.Lookup) (play.Stored, error) {
	if !bytes.HasPrefix(data, []byte(zstdMagic)) {
		return play.ReadStored(data, find)
	}
	header, episodes, err := selfplay.Read(bytes.NewReader(data), find)
	if err != nil {
		return play.Stored{}, err
	}
	rules, err := find(header.Game)
	if err != nil {
		return play.Stored{}, err
	}
	games := make([]*play.Record, len(episodes))
	for i := range episodes {
		games[i] = recorded(&episodes[i], header.Generation)
	}
	return play.NewStored(rules, games), nil
}

// zstdMagic begins an episode file (RFC 8878, section 3.1.1).
const zstdMagic = "\x28\xb5\x2f\xfd"

// recorded returns a game of a generation as a record. Its comments are the payoffs that the
// searches expected for the movers.
func recorded(e *selfplay.Episode, generation int) *play.Record {
	players := e.Rules.Spec().Players
	r := &play.Record{
		Rules: e.Rules, Event: fmt.Sprintf("tiro self-play, generation %d", generation), Round: fmt.Sprint(e.Game),
		Start: e.Rules.New(), History: e.Actions, Opening: e.Opening,
		Payoffs: e.Result[:players:players], Ending: e.Ending, Comments: map[int]string{},
	}
	for range players {
		r.Seats = append(r.Seats, "self-play")
	}
	state, ply := e.Rules.New(), 0
	for _, s := range e.Samples {
		for ; ply < s.Ply; ply++ {
			state.Play(e.Actions[ply])
		}
		r.Comments[s.Ply] = decimal.Signed(float64(s.Value[state.Turn()]), 2)
	}
	return r
}
