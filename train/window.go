package train

import (
	"fmt"
	"math"

	"tiro/configs"
	"tiro/replay"
	"tiro/selfplay"
)

// window holds the games that are learned from, within the bounds of the replay
// window and of memory.
type window struct {
	options *Options
	buffer  replay.Buffer
	mean    float64 // bytes of a game of the newest generation, as it is and in the buffer; 0: unknown
	evicted bool    // games had to make room for those of the generation under way
	warned  bool    // that memory has no room for the whole window

	warnedDisk bool // that the disk has none
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
// samples, and evicts the oldest games: those that are out of the window, those that
// there is no memory for, and those that make the window larger than onDisk, the
// samples that the disk has room for. It goes by the games alone, so that every machine
// evicts the same, and leaves room for the next generation to be as large as this one.
func (w *window) add(episodes []selfplay.Episode, samples, onDisk int) error {
	played := int64(0)
	g := w.expect(len(episodes))
	for i := range episodes {
		played += episodes[i].Bytes()
		if err := g.add(&episodes[i]); err != nil {
			return err
		}
	}
	w.buffer.Add(episodes)
	w.measure(episodes)
	room, size := gamesMemory(&w.options.Config), w.options.Config.Replay.Size(samples)
	if w.buffer.Trim(size, room-played) || w.evicted && w.buffer.Len() < size {
		w.warn(size)
	}
	w.evicted = false
	if w.buffer.Len() > onDisk && onDisk < size {
		w.buffer.Trim(onDisk, room-played)
		w.warnDisk(size)
	}
	return nil
}

// measure notes how much memory a game of the newest generation takes.
func (w *window) measure(episodes []selfplay.Episode) {
	bytes := int64(0)
	for i := range episodes {
		bytes += episodes[i].Bytes() + w.buffer.RecordBytes(&episodes[i])
	}
	w.mean = float64(bytes) / float64(max(1, len(episodes)))
}

// warn reports that memory has no room for a window of so many samples.
func (w *window) warn(size int) {
	if w.warned {
		return
	}
	w.warned = true
	c := &w.options.Config
	w.options.Events.Warn("memory has no room for the whole window of games",
		"memory", c.Memory, "for games", configs.Bytes(gamesMemory(c)).About(), "window", size, "samples", w.buffer.Len())
}

// warnDisk reports that the disk has no room for a window of so many samples.
func (w *window) warnDisk(size int) {
	if w.warnedDisk {
		return
	}
	w.warnedDisk = true
	w.options.Events.Warn("disk has no room for the whole window of games",
		"disk", w.options.Config.Disk, "window", size, "samples", w.buffer.Len())
}

// growth counts the memory of the games of a generation while they are played, and
// lets the window make room for them. Its methods are called by one goroutine at a
// time.
type growth struct {
	window   *window
	games    int   // of the generation
	finished int   // of these
	bytes    int64 // of the games that have finished, as they are and in the window
	underway int64 // of the games that have not finished
	gate     *gate // of the window; nil: it is open
}

// expect returns the growth by so many games, none of which has begun.
func (w *window) expect(games int) *growth { return &growth{window: w, games: games} }

// anew returns the growth by the same games before any has begun.
func (g *growth) anew() *growth { return &growth{window: g.window, games: g.games, gate: g.gate} }

// room returns how many bytes games may take before others have to make room.
func (w *window) room() int64 { return gamesMemory(&w.options.Config) - w.buffer.Bytes() }

// fits returns an error if the games of a generation will need more memory than
// there is, as far as the generation before tells.
func (g *growth) fits() error {
	need := int64(g.window.mean * float64(g.games))
	return g.check(need, need)
}

// grow adds bytes of games that have not finished.
func (g *growth) grow(bytes int64) error {
	g.underway += bytes
	return g.makeRoom()
}

// finish adds a game that was under way, all of whose bytes were added by grow.
func (g *growth) finish(e *selfplay.Episode) error {
	g.underway -= e.Bytes()
	return g.add(e)
}

// add adds a game that has finished.
func (g *growth) add(e *selfplay.Episode) error {
	g.finished++
	g.bytes += e.Bytes() + g.window.buffer.RecordBytes(e)
	if need := g.forecast(); g.finished >= forecastAfter {
		if err := g.check(int64(forecastPart*float64(need)), need); err != nil {
			return err
		}
	}
	return g.makeRoom()
}

// The memory of a generation is forecast once so many of its games have finished,
// which are rather its short ones. The run ends if a part of the forecast is too
// much: the other games may turn out to be shorter.
const (
	forecastAfter = 16
	forecastPart  = 0.8
)

// forecast returns how much memory the games of the generation will need, by those
// that have finished.
func (g *growth) forecast() int64 {
	return int64(float64(g.bytes) / float64(max(1, g.finished)) * float64(g.games))
}

// makeRoom evicts the oldest games of the window to make room for the games that
// were played. In the end, when all have finished, it has evicted the same in
// whatever order they did.
func (g *growth) makeRoom() error {
	all := g.bytes + g.underway
	if !g.gate.isOpen() && all <= g.gate.memory {
		return nil
	}
	if err := g.gate.wait(); err != nil {
		return err
	}
	if g.window.buffer.Trim(math.MaxInt, gamesMemory(&g.window.options.Config)-all) {
		g.window.evicted = true
	}
	return g.check(all, max(all, g.forecast()))
}

// check returns an error if bytes are more memory than there is for the games of
// a generation, which will need about as much as need.
func (g *growth) check(bytes, need int64) error {
	c := &g.window.options.Config
	room := gamesMemory(c)
	if bytes <= room {
		return nil
	}
	return fmt.Errorf("memory is %v, of which %s are for games, but those of one generation take about %s; want at least %v, or fewer games_per_generation, or games of generation_schedule",
		c.Memory, configs.Bytes(room).About(), configs.Bytes(need).About(), whole(configs.Bytes(need), gamesPart))
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
