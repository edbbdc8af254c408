package train

import (
	"tiro/configs"
	"tiro/replay"
	"tiro/selfplay"
)

// window holds the games to learn from, within the limits of the replay window and of memory.
type window struct {
	options *Options
	buffer  replay.Buffer
	warned  bool // a lack of memory was reported
}

// newWindow returns an empty window after evicted samples were evicted.
func newWindow(o *Options, evicted int) window {
	keep := replay.Keep{FinalPositions: o.Config.Net.Ownership, Surprise: o.Config.Learner.PolicySurpriseWeight > 0}
	return window{options: o, buffer: replay.NewBuffer(o.Game, keep, evicted)}
}

// add adds the games of a generation, after which the run has played the given number of samples.
// It evicts the oldest games that do not fit into the window or into memory. The choice depends
// on the games alone, so that every machine evicts the same games.
func (w *window) add(episodes []selfplay.Episode, samples int) {
	c := &w.options.Config
	size := c.Replay.Size(samples)
	w.buffer.Add(episodes)
	if short := w.buffer.Trim(size, windowBytes(c)); short && !w.warned {
		w.warned = true
		w.options.Events.Warn("the memory limit shortens the window of games",
			"memory", c.Memory, "for the window", configs.Bytes(windowBytes(c)).About(), "window", size, "samples", w.buffer.Len())
	}
}
