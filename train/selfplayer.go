package train

import (
	"context"

	"tiro/net"
	"tiro/rundir"
	"tiro/selfplay"
)

// Selfplayer plays the games of a generation. They must equal selfplay.Play's.
type Selfplayer interface {
	// Play is selfplay.Play of games.Job. It also returns the contributions of several players,
	// if known. Job.Workers is the number of workers in this process.
	Play(ctx context.Context, games Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error)
}

// Games are the games of a generation for a Selfplayer to play.
type Games struct {
	Job     selfplay.Job
	Header  selfplay.Header // header of the episode file
	Weights *net.Weights    // weights of Job's evaluators, which change after Play has returned
	Backend string          // kind of the backend of the evaluators, see net.Backend.Bits
	Trees   int64           // bytes that search trees may take in this process on a device
}

// here plays games in this process.
type here struct {
	batch int // of the device that all workers share, see selfplay.Config.OnDevice
}

// Play is selfplay.Play.
func (h here) Play(ctx context.Context, games Games) ([]selfplay.Episode, selfplay.Stats, []rundir.Contribution, error) {
	job := games.Job
	job.Config, job.Workers = job.Config.OnDevice(job.Game, job.Workers, h.batch, games.Trees)
	episodes, stats, err := selfplay.Play(ctx, job)
	return episodes, stats, nil, err
}
