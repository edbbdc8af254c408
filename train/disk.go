package train

import (
	"tiro/rundir"
	"tiro/selfplay"
)

// room is what the run keeps free on disk for the games of the next generation.
type room struct {
	partial int64        // expected length of their partial file, in bytes; there is room for that twice
	mean    float64      // bytes that a game of the newest generation took in it; 0: unknown
	left    rundir.Sizes // of what stays, and of what is kept free
}

// measureDisk notes how much disk the games of the newest generation took while
// they were played.
func (r *run) measureDisk(episodes []selfplay.Episode) error {
	bytes, err := rundir.PartialBytes(episodes)
	r.room.mean = float64(bytes) / float64(max(1, len(episodes)))
	return err
}

// bytesOf returns how much disk the games of a generation are expected to take while
// they are played: each as much as those of the newest one.
func (r *run) bytesOf(generation int) int64 {
	return int64(r.room.mean * float64(r.Config.Games(generation)))
}

// tidy removes what need not stay, and makes room for the next generation.
func (r *run) tidy() (err error) {
	r.room.partial = r.bytesOf(r.state.Generation + 1)
	r.room.left, err = r.folder.Tidy(r.Config.Checkpoints, r.Config.Disk, r.store, r.history, r.state.Generation, r.room.partial)
	return err
}

// makeRoom makes room for the games of the generation under way, of which some
// have finished, and whose partial file has so many bytes. It goes by these numbers
// alone: in the end, when all have finished, it has removed the same in whatever
// order they did. It returns an error if there is no room, or will not be any.
func (r *run) makeRoom(games, finished int, bytes int64) (err error) {
	if r.Config.Disk == 0 {
		return nil
	}
	if finished >= forecastAfter {
		need := float64(bytes) / float64(finished) * float64(games)
		if err := r.room.left.CheckLater(r.Config.Disk, 2*(int64(forecastPart*need)-r.room.partial)); err != nil {
			return err
		}
	}
	if bytes <= r.room.partial {
		return nil
	}
	step := max(1, int64(r.Config.Disk)/roomSteps)
	r.room.partial = (bytes + step - 1) / step * step
	if r.room.left, err = r.folder.Tidy(r.Config.Checkpoints, r.Config.Disk, r.store, r.history, r.saved, r.room.partial); err != nil {
		return err
	}
	return r.room.left.Check(r.Config.Disk)
}

// roomSteps is into how many parts the disk is divided when more of it is made
// free.
const roomSteps = 512
