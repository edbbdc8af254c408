package train

import (
	"context"

	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// Selfplayer plays the games of a generation. Whoever plays them, they must be the
// games that selfplay.Play plays.
type Selfplayer interface {
	// Play is selfplay.Play of games.Job, and also returns what each of several
	// players did, if it knows. It does not look at Job.Workers.
	Play(ctx context.Context, games Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Player, error)
}

// Games are the games of a generation that a Selfplayer is to play.
type Games struct {
	Job     selfplay.Job
	Header  selfplay.Header // of their episode file
	Weights *net.Weights    // that the evaluators of Job compute; they change once Play has returned
	Backend string          // that they compute them on
}

// here plays games in this process.
type here struct{}

// Play is selfplay.Play.
func (here) Play(ctx context.Context, games Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Player, error) {
	episodes, stats, err := selfplay.Play(ctx, games.Job)
	return episodes, stats, nil, err
}
