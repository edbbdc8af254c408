package train

import (
	"fmt"

	"tiro/configs"
	"tiro/replay"
	"tiro/selfplay"
)

// window holds the games that are learned from, within the bounds of the replay
// window and of memory.
type window struct {
	options *Options
	buffer  replay.Buffer
	warned  bool // that memory has no room for the whole window
}

// newWindow returns an empty window after so many samples were evicted.
func newWindow(o *Options, evicted int) window {
	keep := replay.Keep{FinalPositions: o.Config.Net.Ownership, Surprise: o.Config.Learner.PolicySurpriseWeight > 0}
	return window{options: o, buffer: replay.NewBuffer(o.Game, keep, evicted)}
}

// hasRoom reports whether there is room for another game in a window of so many
// samples.
func (w *window) hasRoom(samples int) bool {
	return w.buffer.Len() < samples && w.buffer.Bytes() <= gamesMemory(&w.options.Config)
}

// add adds the games of a generation, after which the run has played so many
// samples, and evicts those that are out of the window or for which there is no
// memory. It goes by the games alone, so that every machine evicts the same, and
// leaves room for the next generation to be as large as this one.
func (w *window) add(episodes []selfplay.Episode, samples int) error {
	c := &w.options.Config
	room, before := gamesMemory(c), w.buffer.Bytes()
	played := replay.EpisodeBytes(episodes)
	w.buffer.Add(episodes)
	if newest := configs.Bytes(w.buffer.Bytes() - before + played); int64(newest) > room {
		return fmt.Errorf("memory is %v, of which %s are for games, but those of one generation take %s; want at least %v, or fewer games_per_generation",
			c.Memory, configs.Bytes(room).About(), newest.About(), whole(newest, gamesPart))
	}
	size := c.Replay.Size(samples)
	if w.buffer.Trim(size, room-played) && !w.warned {
		w.warned = true
		w.options.Events.Warn("memory has no room for the whole window of games",
			"memory", c.Memory, "for games", configs.Bytes(room).About(), "window", size, "samples", w.buffer.Len())
	}
	return nil
}

// calibrate returns the resignation threshold for the next generation, by the
// games in the window.
func (w *window) calibrate() selfplay.Calibration {
	resign := w.options.Config.Selfplay.Resign
	if resign.ConsecutiveMoves == 0 {
		return selfplay.Calibration{}
	}
	return resign.Calibrate(w.buffer.CalibrationGames())
}
