package selfplay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"tiro/env"
	"tiro/format"
)

// Reader reads an episode file, which may come from anywhere. Errors name line
// and field; the first one is final.
type Reader struct {
	game   env.Game
	zstd   *zstd.Decoder
	lines  *bufio.Reader
	number int // of the line read last, from 1
	header Header
	seen   map[int]bool // the games read
	memory []byte       // of lines
}

// NewReader reads the header of an episode file of the game. The caller closes
// the Reader.
func NewReader(r io.Reader, game env.Game) (*Reader, error) {
	return OpenReader(r, func(string) (env.Game, error) { return game, nil })
}

// OpenReader is NewReader for a file of any game, which is looked up by the
// game string in the header with find.
func OpenReader(r io.Reader, find env.Lookup) (*Reader, error) {
	file := &counter{r: r}
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("selfplay: read episodes: %w", err)
	}
	lines := bufio.NewReaderSize(&unpacked{counter{r: decoder}, file}, 1<<16)
	reader := &Reader{zstd: decoder, lines: lines, seen: map[int]bool{}}
	if err := reader.readHeader(find); err != nil {
		decoder.Close()
		return nil, fmt.Errorf("selfplay: read episodes: line 1: %w", err)
	}
	return reader, nil
}

// Close gives back the reader's memory. It does not close what is read from.
func (r *Reader) Close() { r.zstd.Close() }

// Header returns the file's header.
func (r *Reader) Header() Header { return r.header }

// Game returns the game of the file.
func (r *Reader) Game() env.Game { return r.game }

func (r *Reader) readHeader(find env.Lookup) error {
	r.number = 1
	data, err := readLine(r.lines, nil)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if err := format.CheckJSON(data, fileHeader); err != nil {
		return err
	}
	if err := strict(data, &r.header); err != nil {
		return err
	}
	if r.game, err = find(r.header.Game); err != nil {
		return err
	}
	h, spec := &r.header, r.game.Spec()
	switch {
	case h.Game != spec.Name:
		return fmt.Errorf("game is %q; want %q", h.Game, spec.Name)
	case h.Version != spec.Version:
		return fmt.Errorf("version is %d; this program plays version %d of %s", h.Version, spec.Version, spec.Name)
	}
	if n := spec.Actions(); n > MaxActions {
		return fmt.Errorf("%s has %d actions; want at most %d", spec.Name, n, MaxActions)
	}
	return nil
}

// Next returns the next game, replayed through the rules, and io.EOF after the
// last one.
func (r *Reader) Next() (Episode, error) {
	data, err := readLine(r.lines, r.memory)
	if errors.Is(err, io.EOF) {
		return Episode{}, io.EOF
	}
	r.number++
	var e Episode
	if err == nil {
		r.memory = data
		e, err = parseEpisode(r.game, data)
	}
	switch {
	case err != nil:
	case e.Game >= maxGame:
		err = fmt.Errorf("game is %d; want less than %d", e.Game, maxGame)
	case r.seen[e.Game]:
		err = fmt.Errorf("game %d is there already", e.Game)
	}
	if err != nil {
		return Episode{}, fmt.Errorf("selfplay: read episodes: line %d: %w", r.number, err)
	}
	r.seen[e.Game] = true
	return e, nil
}

// Read reads a whole episode file. On error it also returns the games before
// the fault.
func Read(r io.Reader, game env.Game) (Header, []Episode, error) {
	reader, err := NewReader(r, game)
	if err != nil {
		return Header{}, nil, err
	}
	defer reader.Close()
	var episodes []Episode
	for {
		e, err := reader.Next()
		if err == io.EOF {
			return reader.header, episodes, nil
		}
		if err != nil {
			return reader.header, episodes, err
		}
		episodes = append(episodes, e)
	}
}

// parseEpisode reads one line and replays it.
func parseEpisode(game env.Game, data []byte) (Episode, error) {
	if n := bytes.Count(data, []byte(",")); n > maxCommas {
		return Episode{}, fmt.Errorf("%d commas; want at most %d", n, maxCommas)
	}
	var l line
	if err := strict(data, &l); err != nil {
		return Episode{}, err
	}
	p := parser{game: game, players: game.Spec().Players, line: &l}
	if err := p.parse(); err != nil {
		return Episode{}, err
	}
	return p.episode, nil
}

// strict reads the one JSON value of a line, which has no fields that v has
// not.
func strict(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("more than one value on the line")
	}
	return nil
}

// parser turns a line into an Episode.
type parser struct {
	game    env.Game
	players int
	line    *line
	episode Episode
	legal   []env.Action
	names   []string // of legal
}

func (p *parser) parse() error {
	l := p.line
	switch {
	case l.Game < 0:
		return fmt.Errorf("game is %d; want 0 or more", l.Game)
	case l.Plies != len(l.Actions):
		return fmt.Errorf("plies is %d, but there are %d actions", l.Plies, len(l.Actions))
	case l.Opening < 0 || l.Opening > l.Plies:
		return fmt.Errorf("opening is %d; want 0 to %d", l.Opening, l.Plies)
	}
	p.episode = Episode{Game: l.Game, Opening: l.Opening, Ending: l.Ending, NoResign: l.NoResign}
	s := p.game.New()
	for ply, name := range l.Actions {
		if _, over := s.Result(); over {
			return fmt.Errorf("actions[%d]: the game is over", ply)
		}
		p.look(s)
		a, ok := p.action(name)
		if !ok {
			return fmt.Errorf("actions[%d]: %w %q in %s", ply, env.ErrIllegal, name, s)
		}
		if err := p.sample(ply); err != nil {
			return err
		}
		p.episode.Actions = append(p.episode.Actions, a)
		s.Play(a)
	}
	if n := len(p.episode.Samples); n < len(l.Samples) {
		return fmt.Errorf("samples[%d].ply is %d; want more than the sample before, from %d to %d", n, l.Samples[n].Ply, l.Opening, l.Plies-1)
	}
	return p.result(s)
}

// look finds the names of the legal actions of s.
func (p *parser) look(s env.State) {
	p.legal = s.Legal(p.legal[:0])
	p.names = p.names[:0]
	for _, a := range p.legal {
		p.names = append(p.names, s.ActionString(a))
	}
}

func (p *parser) action(name string) (env.Action, bool) {
	for i, n := range p.names {
		if n == name {
			return p.legal[i], true
		}
	}
	return 0, false
}

// sample reads the next sample if it is the one of this ply.
func (p *parser) sample(ply int) error {
	i := len(p.episode.Samples)
	if i == len(p.line.Samples) || p.line.Samples[i].Ply != ply || ply < p.line.Opening {
		return nil
	}
	l := &p.line.Samples[i]
	policy, err := p.policy(l.Policy)
	if err != nil {
		return fmt.Errorf("samples[%d].policy: %w", i, err)
	}
	value, err := p.value(l.Value)
	if err != nil {
		return fmt.Errorf("samples[%d].value: %w", i, err)
	}
	if !(l.KL >= 0) {
		return fmt.Errorf("samples[%d].kl is %v; want 0 or more", i, l.KL)
	}
	p.episode.Samples = append(p.episode.Samples, Sample{Ply: ply, Policy: policy, Value: value, KL: l.KL})
	return nil
}

// policy reads ACTION:PROBABILITY pairs, ascending by action.
func (p *parser) policy(text string) ([]PolicyEntry, error) {
	var shares []PolicyEntry
	sum, next := 0, 0
	for item := range strings.SplitSeq(text, " ") {
		colon := strings.LastIndexByte(item, ':')
		if colon < 0 {
			return nil, fmt.Errorf("%q; want ACTION:PROBABILITY", item)
		}
		for next < len(p.names) && p.names[next] != item[:colon] {
			next++
		}
		if next == len(p.names) {
			return nil, fmt.Errorf("%q is not legal or out of order", item[:colon])
		}
		part, err := parsePart(item[colon+1:])
		if err != nil {
			return nil, err
		}
		shares = append(shares, PolicyEntry{Action: uint16(p.legal[next]), Weight: part})
		sum += int(part)
		next++
	}
	if sum != Scale {
		return nil, fmt.Errorf("the probabilities sum to %v; want 1", float64(sum)/Scale)
	}
	return shares[:len(shares):len(shares)], nil
}

func parsePart(text string) (uint16, error) {
	probability, err := strconv.ParseFloat(text, 64)
	part := math.Round(probability * Scale)
	if err != nil || !(part >= 1 && part <= Scale) || math.Abs(part-probability*Scale) > 1e-6 {
		return 0, fmt.Errorf("probability %q; want 0.0001 to 1 in steps of 0.0001", text)
	}
	return uint16(part), nil
}

// value reads a payoff by seat.
func (p *parser) value(numbers []float32) (env.Value, error) {
	var v env.Value
	if len(numbers) != p.players {
		return v, fmt.Errorf("%d numbers; want one for each of %d seats", len(numbers), p.players)
	}
	for _, x := range numbers {
		if !(x >= -1 && x <= 1) {
			return v, fmt.Errorf("%v; want -1 to 1", x)
		}
	}
	copy(v[:], numbers)
	return v, nil
}

// result compares how the line says that the game ended with how it did.
func (p *parser) result(s env.State) error {
	claimed, err := p.value(p.line.Result)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	v, over := s.Result()
	if p.line.Ending == Resignation {
		return p.resigned(claimed, over)
	}
	switch {
	case !over:
		return fmt.Errorf("actions: the game is not over after %d", p.line.Plies)
	case v != claimed:
		return fmt.Errorf("result is %v; by the rules it is %v", claimed[:p.players], v[:p.players])
	}
	p.episode.Result = v
	ending := ""
	if e, ok := s.(env.Ender); ok {
		ending = e.Ending()
	}
	if ending != p.line.Ending {
		return fmt.Errorf("ending is %q; by the rules it is %q", p.line.Ending, ending)
	}
	return nil
}

// resigned checks the result of a game that was broken off: somebody's win.
func (p *parser) resigned(claimed env.Value, over bool) error {
	switch {
	case over:
		return fmt.Errorf("ending is %q, but by the rules the game is over", Resignation)
	case p.line.NoResign:
		return fmt.Errorf("ending is %q, but no_resign says that the game was played to its end", Resignation)
	}
	for seat := range p.players {
		if claimed == env.WinFor(env.Player(seat), p.players) {
			p.episode.Result = claimed
			return nil
		}
	}
	return fmt.Errorf("result is %v; of a game that was broken off want 1 for one seat and equal losses for the others", claimed[:p.players])
}
