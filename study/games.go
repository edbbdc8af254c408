package study

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"

	"tiro/env"
	"tiro/internal/decimal"
	"tiro/play"
	"tiro/recipe"
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

// Given are imported games, to learn from.
type Given struct {
	recipe.Given
	Left map[string]int // games that cannot be learned from, by reason
}

// Reasons why a game cannot be learned from.
const (
	elsewhere  = "not from the game's first position"
	unfinished = "without a result"
	drawnEarly = "ended early without a single winner"
	noMoves    = "without moves after the opening"
)

// GivenGames returns the games of a file as samples: the policy of each is the move played,
// and its value the result of the game.
func GivenGames(path string, stored play.Stored) (g Given, err error) {
	g = Given{Given: recipe.Given{File: filepath.Base(path)}, Left: map[string]int{}}
	for i := range stored.Games {
		e, why := sampled(stored.Games[i].Record)
		if why != "" {
			g.Left[why]++
			continue
		}
		e.Game = len(g.Episodes)
		g.Episodes = append(g.Episodes, e)
	}
	if len(g.Episodes) == 0 {
		err = fmt.Errorf("%s: none of %d games can be learned from", path, len(stored.Games))
	}
	return g, err
}

// sampled returns a game with samples, or the reason why it cannot be learned from.
func sampled(r *play.Record) (e selfplay.Episode, why string) {
	seats := r.Rules.Spec().Players
	state := r.Rules.New()
	if r.Start.Hash() != state.Hash() {
		return e, elsewhere
	}
	e = selfplay.Episode{Rules: r.Rules, Opening: r.Opening, Actions: r.History, Ending: r.Ending}
	copy(e.Result[:], r.Payoffs)
	var value env.Value // with four digits, like a search's
	for seat, payoff := range r.Payoffs {
		value[seat] = float32(math.Round(float64(payoff)*selfplay.Scale) / selfplay.Scale)
	}
	for ply, a := range r.History {
		if ply >= r.Opening {
			e.Samples = append(e.Samples, selfplay.Sample{Ply: ply, Policy: []selfplay.PolicyEntry{{Action: uint16(a), Weight: selfplay.Scale}}, Value: value})
		}
		state.Play(a)
	}
	_, over := state.Result()
	won := false
	for seat := range seats {
		won = won || e.Result == env.WinFor(env.Player(seat), seats)
	}
	switch {
	case r.Payoffs == nil:
		return e, unfinished
	case len(e.Samples) == 0:
		return e, noMoves
	case !over && !won:
		return e, drawnEarly
	case !over:
		e.Ending = selfplay.Resignation
	}
	return e, ""
}
