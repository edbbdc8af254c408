// Package tournament plays matches between many players: a round-robin, or a gauntlet of
// the first player against each of the others.
//
//	report, err := tournament.Play(ctx, tournament.Tournament{
//		Match: arena.Match{Game: game, Players: players, Games: 100, Seed: 1, Workers: 2},
//		Log:   log,
//	})
//	fmt.Print(report)
//
// Each meeting is an arena.Match of as many players as the game has seats, so every opening
// is played in all seatings of different players. All games are kept in one arena.GameLog, and
// all ratings come from one rating.Fit. An interrupted tournament therefore continues to the
// same report.
package tournament

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"tiro/arena"
	"tiro/player"
)

// Tournament describes a tournament.
type Tournament struct {
	// Match has the conditions of every meeting, and all players. Games is the number of
	// games of a meeting, and 0 for the default. Progress, Finished and Record are not used.
	arena.Match

	Gauntlet bool           // whether the first player takes part in every meeting
	Log      *arena.GameLog // may be nil
	By       arena.Builder  // the program that plays, for the log

	// Begun, if set, is called when a meeting begins. It returns a function to call after
	// every game.
	Begun func(Meeting) (game func(arena.Progress))
}

// Meeting is a match of a tournament.
type Meeting struct {
	Players []int // indices of the players
	arena.Match
}

// maxMeetings bounds the meetings of a tournament.
const maxMeetings = 100_000

// Meetings returns the matches to be played, in order, without finished games.
func (t *Tournament) Meetings() (all []Meeting, err error) {
	seats, n := t.Game.Spec().Players, len(t.Players)
	if n < seats {
		return nil, fmt.Errorf("%d players of a game of %d; a tournament needs as many players as seats", n, seats)
	}
	for i, p := range t.Players {
		same := func(other player.Factory) bool { return other.Key() == p.Key() }
		if j := slices.IndexFunc(t.Players[:i], same); j >= 0 {
			return nil, fmt.Errorf("%s and %s are the same player", p, t.Players[j])
		}
	}
	for lists := combin.NewCombinationGenerator(n, seats); lists.Next(); { // ascending, in lexical order
		players := lists.Combination(nil)
		if t.Gauntlet && players[0] != 0 {
			break
		}
		if len(all) == maxMeetings {
			return nil, fmt.Errorf("%d players have more than %d meetings", n, maxMeetings)
		}
		m := Meeting{players, t.Match}
		m.Match.Players = nil
		digest := fnv.New64a()
		fmt.Fprintln(digest, t.Seed) // a hash never returns an error
		for _, i := range players {
			m.Match.Players = append(m.Match.Players, t.Players[i])
			fmt.Fprintln(digest, t.Players[i].Key())
		}
		m.Seed = digest.Sum64() // no two meetings have the same random openings
		if m.Games == 0 {
			m.Games = m.DefaultGames()
		}
		if err := m.Validate(); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// atOnce is the number of meetings that an arena.Gameplayer plays at once.
const atOnce = 32

// Play plays the games that the log does not have. If ctx ends first or a player fails, it
// returns the error and a report on the finished games.
func Play(ctx context.Context, t Tournament) (Report, error) {
	all, err := t.Meetings()
	if err != nil {
		return Report{}, fmt.Errorf("tournament: %w", err)
	}
	if t.Log != nil {
		for i := range all {
			if err := t.Log.Resume(&all[i].Match, t.By); err != nil {
				return Report{}, err
			}
		}
	}
	size, reports := 1, make([]arena.Report, 0, len(all))
	if t.Elsewhere != nil {
		size = atOnce
	}
	for some := range slices.Chunk(all, size) {
		next, fault := t.play(ctx, some)
		reports = append(reports, next...)
		if err = errors.Join(err, fault); fault != nil && ctx.Err() == nil {
			break // the others report their finished games
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("tournament: stopped: %w", ctx.Err())
	}
	return t.report(all, reports), err
}

// play plays meetings, several of them only elsewhere.
func (t *Tournament) play(ctx context.Context, some []Meeting) ([]arena.Report, error) {
	matches := make([]arena.Match, len(some))
	for i, m := range some {
		matches[i] = m.Match
		if t.Begun != nil {
			matches[i].Progress = t.Begun(m)
		}
	}
	return arena.PlayAll(ctx, matches)
}
