package play

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiro/env"
	"tiro/format/pgn"
)

// Tags of PGN besides the players'.
const (
	variantTag     = "Variant"      // game string
	versionTag     = "RulesVersion" // env.Spec.Version
	positionTag    = "FEN"
	resultTag      = "Result"
	terminationTag = "Termination"
)

// bookComment marks the moves of an opening.
const bookComment = "book"

// endingSeparator separates an ending from its reason.
const endingSeparator = ": "

// Endings without a name of their own.
const (
	normalEnding = "normal"       // of a finished game
	noEnding     = "unterminated" // of an unfinished game
)

// seatTags returns the names of the players' tags: the names of the seats if the game names
// them, otherwise White and Black or, with more seats, Player1, Player2, ….
func seatTags(game env.Game) (tags []string) {
	if _, named := game.(env.SeatNamer); named {
		return env.SeatNames(game)
	}
	seats := game.Spec().Players
	if seats == 2 {
		return []string{"White", "Black"}
	}
	for seat := range seats {
		tags = append(tags, "Player"+strconv.Itoa(seat+1))
	}
	return tags
}

// pgnResult returns payoffs by seat as a result of PGN, in which 1-0 is a win of White.
func pgnResult(game env.Game, payoffs []float32) string {
	if payoffs == nil {
		return "*"
	}
	if tags := seatTags(game); len(tags) == 2 && tags[1] == "White" {
		payoffs = []float32{payoffs[1], payoffs[0]}
	}
	return strings.ReplaceAll(env.FormatPayoffs(payoffs), " ", ",")
}

// PGN returns the game as PGN.
func (r *Record) PGN() []byte {
	spec := r.Rules.Spec()
	g := pgn.Game{Result: pgnResult(r.Rules, r.Payoffs)}
	tag := func(name, value string) { g.Tags = append(g.Tags, pgn.Tag{Name: name, Value: value}) }
	tag("Event", cmp.Or(r.Event, "?"))
	tag("Site", "?")
	tag("Date", "????.??.??")
	tag("Round", cmp.Or(r.Round, "?"))
	for seat, name := range seatTags(r.Rules) {
		tag(name, cmp.Or(r.Seats[seat], "?"))
	}
	tag(resultTag, g.Result)
	tag(variantTag, spec.Name)
	tag(versionTag, strconv.Itoa(spec.Version))
	if from, err := r.from(); err == nil && from != "" {
		tag("SetUp", "1")
		tag(positionTag, from)
	}
	ending := noEnding
	if r.Payoffs != nil {
		ending = normalEnding
	}
	if ending = cmp.Or(r.Ending, ending); r.Detail != "" {
		ending += endingSeparator + r.Detail
	}
	tag(terminationTag, ending)
	g.Moves = r.line(r.History, true)
	for _, line := range r.Lines {
		r.branch(&g, r.line(line, false))
	}
	return g.Append(nil)
}

// line returns moves of actions from the start. The main line has comments.
func (r *Record) line(actions []env.Action, main bool) (moves []pgn.Move) {
	round, before := 0, len(r.Seats) // before is the seat of the previous turn
	for t := range Turns(r.Rules, r.Start, actions) {
		next := pgn.Move{Later: t.Seat > before || len(moves) == 0 && t.Seat > 0}
		if before = t.Seat; !next.Later || len(moves) == 0 {
			round++
		}
		next.Number = round
		for _, next.Text = range strings.Fields(t.Text) {
			moves = append(moves, next)
			next.Number = 0
		}
		if !main {
			continue
		}
		last := &moves[len(moves)-1]
		if last.Comment = r.Comments[t.Ply-1]; t.Ply <= r.Opening {
			last.Comment = strings.TrimSpace(bookComment + " " + last.Comment)
		}
	}
	return moves
}

// branch adds a line as a variation where it leaves the main line, or at the last move that it
// has in common with the main line if one of them ends there.
func (r *Record) branch(g *pgn.Game, line []pgn.Move) {
	at := 0
	for at < min(len(line), len(g.Moves)) && line[at].Text == g.Moves[at].Text {
		at++
	}
	at = min(at, len(line)-1, len(g.Moves)-1)
	switch {
	case len(line) == 0:
	case at < 0:
		g.Variations = append(g.Variations, line)
	default:
		m := &g.Moves[at]
		m.Variations = append(m.Variations, slices.Clone(line[at:]))
	}
}

// readPGNRecords returns the games of a text, which must be games of game.
func readPGNRecords(game env.Game, data []byte) (all []*Record, err error) {
	for g, err := range pgn.Games(data) {
		if err != nil {
			return all, err
		}
		r, err := readPGN(game, &g)
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// readPGN replays a game.
func readPGN(game env.Game, g *pgn.Game) (r *Record, err error) {
	r = &Record{Rules: game, Start: game.New()}
	lines, err := r.readTags(g.Tags)
	if err != nil {
		return r, err
	}
	state := env.After(game, r.Start)
	if r.History, err = r.play(state, g.Moves); err != nil {
		return r, err
	}
	if err := r.readLines(g); err != nil {
		return r, err
	}
	r.readOpening(g.Moves)
	if err := r.readResult(state, g.Result); err != nil {
		return r, fmt.Errorf("line %d: %w", g.Line, err)
	}
	if text := g.Tag(resultTag); text != "" && text != g.Result {
		return r, fmt.Errorf("line %d: result %.40q, but the moves end with %s", lines[resultTag], text, g.Result)
	}
	return r, nil
}

// readTags reads the tags and returns their line numbers.
func (r *Record) readTags(tags []pgn.Tag) (lines map[string]int, err error) {
	lines, values := map[string]int{}, map[string]string{}
	for _, t := range tags {
		if lines[t.Name] > 0 {
			return lines, fmt.Errorf("line %d: duplicate tag %.40s", t.Line, t.Name)
		}
		lines[t.Name], values[t.Name] = t.Line, t.Value
	}
	spec := r.Rules.Spec()
	known := func(name string) string {
		if values[name] == "?" {
			return ""
		}
		return values[name]
	}
	r.Event, r.Round = known("Event"), known("Round")
	for _, name := range seatTags(r.Rules) {
		r.Seats = append(r.Seats, known(name))
	}
	if text := values[terminationTag]; text != normalEnding && text != noEnding {
		r.Ending, r.Detail, _ = strings.Cut(text, endingSeparator)
	}
	version, invalid := strconv.Atoi(cmp.Or(values[versionTag], strconv.Itoa(spec.Version)))
	about, fault := variantTag, error(nil)
	switch other := spec.CheckGames(spec.Name, version); {
	case values[variantTag] == "":
		return lines, fmt.Errorf("line %d: no tag with the game, such as [Variant %q]", tags[0].Line, spec.Name)
	case values[variantTag] != spec.Name:
		fault = fmt.Errorf("a game of %.60s, not of %s", values[variantTag], spec.Name)
	case invalid != nil:
		about, fault = versionTag, fmt.Errorf("%.20q is not a number", values[versionTag])
	case other != nil:
		about, fault = versionTag, other
	default:
		about = positionTag
		r.Start, fault = PositionAfter(r.Rules, values[positionTag], nil)
	}
	if fault != nil {
		return lines, fmt.Errorf("line %d: %s: %w", lines[about], about, fault)
	}
	return lines, nil
}

// play plays moves on a state.
func (r *Record) play(state env.State, moves []pgn.Move) (history []env.Action, err error) {
	for i, m := range moves {
		actions, err := playMoves(state, []string{m.Text}, parseMove)
		if err != nil {
			return history, fmt.Errorf("line %d: move %d: %w", m.Line, i+1, errors.Unwrap(err))
		}
		history = append(history, actions...)
	}
	return history, nil
}

// maxLines is the maximum number of variations of a game.
const maxLines = 1000

// readLines reads the variations of the main line, and their variations.
func (r *Record) readLines(g *pgn.Game) error {
	err := r.readVariations(nil, g.Variations)
	for i := 0; i < len(g.Moves) && err == nil; i++ {
		err = r.readVariations(g.Moves[:i], g.Moves[i].Variations)
	}
	return err
}

// readVariations reads variations after some moves, and their variations.
func (r *Record) readVariations(before []pgn.Move, variations [][]pgn.Move) error {
	for _, v := range variations {
		line := slices.Concat(before, v)
		history, err := r.play(env.After(r.Rules, r.Start), line)
		if err != nil {
			return err
		}
		if r.Lines = append(r.Lines, history); len(r.Lines) > maxLines {
			return fmt.Errorf("line %d: more than %d variations", line[len(line)-1].Line, maxLines)
		}
		for i := range v {
			if err := r.readVariations(line[:len(before)+i], v[i].Variations); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOpening sets the number of actions in the opening: the first turns marked as such.
func (r *Record) readOpening(moves []pgn.Move) {
	at := 0 // number of moves in earlier turns
	for t := range Turns(r.Rules, r.Start, r.History) {
		at += len(strings.Fields(t.Text))
		if at > len(moves) || !slices.Contains(strings.Fields(moves[at-1].Comment), bookComment) {
			return
		}
		r.Opening = t.Ply
	}
}

// readResult sets the result of a game that ended in a state.
func (r *Record) readResult(state env.State, text string) error {
	if r.readOwnResult(state) {
		if want := pgnResult(r.Rules, r.Payoffs); text != want {
			return fmt.Errorf("result %.40q, but the moves lead to %s", text, want)
		}
		return nil
	}
	switch text {
	case "*":
		return nil
	case "1-0", "0-1", "1/2-1/2":
		if len(r.Seats) != 2 {
			return fmt.Errorf("result %q of a game of %d players; write their payoffs, such as 1,-0.5,-0.5", text, len(r.Seats))
		}
		for _, first := range []float32{1, -1, 0} {
			if payoffs := []float32{first, -first}; pgnResult(r.Rules, payoffs) == text {
				r.Payoffs = payoffs
			}
		}
		return nil
	}
	return r.readPayoffs(text)
}

// readOwnResult sets the result of a state in which the game is over by its rules.
func (r *Record) readOwnResult(state env.State) (over bool) {
	v, over := state.Result()
	if !over {
		return false
	}
	r.Payoffs, r.Ending, r.Detail = v[:len(r.Seats):len(r.Seats)], env.Ending(state), ""
	return true
}

func (r *Record) readPayoffs(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(word, 32)
		if err != nil || !(x >= -1 && x <= 1) {
			return fmt.Errorf("result %.40q: %.20q is not a payoff from -1 to 1", text, word)
		}
		r.Payoffs = append(r.Payoffs, float32(x))
	}
	if len(r.Payoffs) != len(r.Seats) {
		return fmt.Errorf("result %.40q has %d payoffs for %d players", text, len(r.Payoffs), len(r.Seats))
	}
	return nil
}
